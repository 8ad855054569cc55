package io.enipam.emulator.http;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** How often each action was called, refused calls included. Thread-safe. */
public final class CallCounts {
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

    /** One more. */
    void add(String action) {
        counts.computeIfAbsent(action, name -> new LongAdder()).increment();
    }

    /** A copy, by action. */
    public Map<String, Long> snapshot() {
        Map<String, Long> copy = new TreeMap<>();
        counts.forEach((action, count) -> copy.put(action, count.sum()));
        return copy;
    }
}

package io.enipam.emulator.http;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** How often each action was called, refused calls included, and how many of those calls were spoilt. Thread-safe. */
public final class CallCounts {
    private final Map<String, LongAdder> calls = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> throttled = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> faulted = new ConcurrentHashMap<>();

    /** One more call. */
    void add(String action) {
        increment(calls, action);
    }

    /** One that a throttling window refused. */
    void addThrottled(String action) {
        increment(throttled, action);
    }

    /** One that a fault rule acted on. */
    void addFaulted(String action) {
        increment(faulted, action);
    }

    /** A copy, by action. */
    public Map<String, Long> snapshot() {
        return copy(calls);
    }

    /** Of those, how many a throttling window refused; absent if none. */
    public Map<String, Long> throttled() {
        return copy(throttled);
    }

    /** Of those, how many a fault rule acted on; absent if none. */
    public Map<String, Long> faulted() {
        return copy(faulted);
    }

    private static void increment(Map<String, LongAdder> counts, String action) {
        counts.computeIfAbsent(action, name -> new LongAdder()).increment();
    }

    private static Map<String, Long> copy(Map<String, LongAdder> counts) {
        Map<String, Long> copy = new TreeMap<>();
        counts.forEach((action, count) -> copy.put(action, count.sum()));
        return copy;
    }
}

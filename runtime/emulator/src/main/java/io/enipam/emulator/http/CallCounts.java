package io.enipam.emulator.http;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/** How often each action was called, refused calls included, and what became of the calls. Thread-safe. */
public final class CallCounts {
    /**
     * What became of the calls of one action since the start: how many had a valid signature, and of those, how many
     * flow control refused and on how many a fault rule acted.
     */
    public record ActionCallStats(String api, long calls, long throttled, long faulted) {}

    private record Counts(LongAdder calls, LongAdder throttled, LongAdder faulted) {}

    private final Map<String, Counts> counts = new ConcurrentHashMap<>();

    void add(String action) {
        of(action).calls.increment();
    }

    void addThrottled(String action) {
        of(action).throttled.increment();
    }

    void addFaulted(String action) {
        of(action).faulted.increment();
    }

    /** Calls by action; an action that was never called is absent. */
    public Map<String, Long> calls() {
        return stats().stream().collect(Collectors.toMap(ActionCallStats::api, ActionCallStats::calls));
    }

    /** A copy of all counts, by name of the action. */
    public List<ActionCallStats> stats() {
        return counts.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> new ActionCallStats(
                        entry.getKey(),
                        entry.getValue().calls.sum(),
                        entry.getValue().throttled.sum(),
                        entry.getValue().faulted.sum()))
                .toList();
    }

    private Counts of(String action) {
        return counts.computeIfAbsent(action, name -> new Counts(new LongAdder(), new LongAdder(), new LongAdder()));
    }
}

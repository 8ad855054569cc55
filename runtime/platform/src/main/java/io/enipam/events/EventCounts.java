package io.enipam.events;

import io.enipam.engine.model.Event.Severity;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** How many events there were since the start, by type. Thread-safe. */
public final class EventCounts {
    /** Under which events of further types are counted: a plugin may name its events as it likes. */
    public static final String OTHER_TYPES = "other";

    private static final int MOST_TYPES = 200;

    private final Map<Key, LongAdder> counts = new ConcurrentHashMap<>();

    /** What is counted by itself. */
    public record Key(Severity severity, String type) {}

    /** One more. */
    public void add(Severity severity, String type) {
        Key key = new Key(severity, type);
        LongAdder known = counts.get(key);
        if (known == null) {
            // a few more come in where threads meet here, never many
            Key kept = counts.size() < MOST_TYPES ? key : new Key(severity, OTHER_TYPES);
            known = counts.computeIfAbsent(kept, name -> new LongAdder());
        }
        known.increment();
    }

    /** How many there were of each. */
    public Map<Key, Long> all() {
        Map<Key, Long> all = new TreeMap<>(Comparator.comparing(Key::severity).thenComparing(Key::type));
        counts.forEach((key, count) -> all.put(key, count.sum()));
        return all;
    }

    /** How many there were of a type, whatever the severity. */
    public long of(String type) {
        return counts.entrySet().stream()
                .filter(entry -> entry.getKey().type().equals(type))
                .mapToLong(entry -> entry.getValue().sum())
                .sum();
    }
}

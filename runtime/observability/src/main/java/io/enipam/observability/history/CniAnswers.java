package io.enipam.observability.history;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The calls on the CNI socket that were answered, by command and by the code of the answer. Thread-safe. */
public final class CniAnswers {
    private final Map<Kind, LongAdder> counts = new ConcurrentHashMap<>();

    /**
     * Kinds of answers.
     *
     * @param command one of the specification's, or {@code OTHER}
     * @param code of the error result; 0 for success
     */
    public record Kind(String command, int code) implements Comparable<Kind> {
        @Override
        public int compareTo(Kind other) {
            int order = command.compareTo(other.command);
            return order == 0 ? Integer.compare(code, other.code) : order;
        }
    }

    /** One more. */
    public void add(String command, int code) {
        counts.computeIfAbsent(new Kind(command, code), kind -> new LongAdder()).increment();
    }

    /** All since the start. */
    public Map<Kind, Long> counts() {
        Map<Kind, Long> now = new TreeMap<>();
        counts.forEach((kind, count) -> now.put(kind, count.sum()));
        return now;
    }
}

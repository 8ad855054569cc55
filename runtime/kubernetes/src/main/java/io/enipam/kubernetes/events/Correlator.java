package io.enipam.kubernetes.events;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Decides what becomes of a notice: an event of its own, one more of a series that is told now, or one that is only counted.
 * The numbers are those of client-go's correlator: what is the same within ten minutes is a series, and an object has 25
 * requests at once and one more every five minutes; all objects of the node together have {@value #NODE_BURST} and one more every
 * few seconds. Two messages that differ in times and request ids alone are the same. A series is told at its counts 2, 4, 8 and so on, and once a minute.
 *
 * <p>Bounded: those not heard of for the longest time are forgotten. Not thread-safe: the reporter's one thread asks it.
 *
 * @see <a href="https://pkg.go.dev/k8s.io/client-go/tools/record#EventCorrelator">EventCorrelator</a>
 */
final class Correlator {
    static final int BURST = 25;
    static final Duration REFILL = Duration.ofMinutes(5);
    private static final Duration SAME = Duration.ofMinutes(10);
    private static final Duration TOLD_AGAIN = Duration.ofMinutes(1);
    private static final int MOST = 2_048;

    /** Requests that a node has at once, whatever its pods are: ten thousand nodes have bad days together. */
    static final int NODE_BURST = 100;

    /** The node has one more so often. */
    static final Duration NODE_REFILL = Duration.ofSeconds(6);

    private final Map<Notice, Series> series = bounded();
    private final Map<String, Allowance> allowances = bounded();

    /**
     * @param fresh whether the event is to be made, else its count changes
     */
    record Decision(Series series, boolean fresh) {}

    private Allowance ofNode = new Allowance(NODE_BURST, Instant.MIN);

    private record Allowance(double left, Instant at) {
        private Allowance now(Instant now, int burst, Duration refill) {
            double refilled = at.equals(Instant.MIN)
                    ? 0
                    : (double) Math.max(0, Duration.between(at, now).toMillis()) / refill.toMillis();
            return new Allowance(Math.min(burst, left + refilled), now);
        }

        private Allowance less() {
            return new Allowance(left - 1, at);
        }
    }

    /** @return empty if nobody is to be told now */
    Optional<Decision> decide(Notice told, Instant now, Supplier<String> newName) {
        Notice notice = told.lasting();
        Series known = series.get(notice);
        boolean same = known != null && Duration.between(known.last(), now).compareTo(SAME) < 0;
        Series next = same ? known.again(now) : Series.begun(newName.get(), now);
        series.put(notice, next);
        boolean worthTelling = !same
                || Integer.bitCount(next.count()) == 1
                || Duration.between(next.told(), now).compareTo(TOLD_AGAIN) >= 0;
        if (!worthTelling || !allowed(notice, now)) {
            if (!same) {
                // it was never made: the next one is the first
                series.remove(notice);
            }
            return Optional.empty();
        }
        Series counted = next.toldAt(now);
        series.put(notice, counted);
        return Optional.of(new Decision(counted, !same));
    }

    /** The API server has no such event any more, or never had: the next notice makes one. */
    void forget(Notice notice) {
        series.remove(notice.lasting());
    }

    private boolean allowed(Notice notice, Instant now) {
        String object = notice.pod().map(Object::toString).orElse("") + " " + notice.uid();
        Allowance allowance =
                allowances.getOrDefault(object, new Allowance(BURST, now)).now(now, BURST, REFILL);
        ofNode = ofNode.now(now, NODE_BURST, NODE_REFILL);
        // good news leave half of it to bad ones
        boolean allowed = allowance.left() >= 1 && ofNode.left() >= (notice.warning() ? 1 : NODE_BURST / 2);
        allowances.put(object, allowed ? allowance.less() : allowance);
        ofNode = allowed ? ofNode.less() : ofNode;
        return allowed;
    }

    private static <K, V> Map<K, V> bounded() {
        return new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > MOST;
            }
        };
    }
}

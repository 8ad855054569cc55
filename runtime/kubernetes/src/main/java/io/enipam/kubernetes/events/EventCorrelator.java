package io.enipam.kubernetes.events;

import io.enipam.kubernetes.events.EventReporter.EventNotice;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Decides what becomes of a notice: a new event, a report of a series, or only a count. The numbers are those of
 * client-go's correlator: equal notices within ten minutes form a series, and an object has 25 requests at once and one
 * more every five minutes; all objects of the node together have {@value #NODE_BURST} and one more every few seconds.
 * Messages that differ only in times and request ids are equal. A series is reported at its counts 2, 4, 8 and so on,
 * and once a minute.
 *
 * <p>Intervals are measured by the monotonic clock; dates are only for display.
 *
 * <p>Bounded: the least recently used series are forgotten. Not thread-safe: only the reporter's thread calls it.
 *
 * @see <a href="https://pkg.go.dev/k8s.io/client-go/tools/record#EventCorrelator">EventCorrelator</a>
 */
final class EventCorrelator {
    static final int BURST = 25;
    static final Duration REFILL = Duration.ofMinutes(5);
    private static final Duration SAME = Duration.ofMinutes(10);
    private static final Duration TOLD_AGAIN = Duration.ofMinutes(1);
    private static final int MOST = 2_048;

    /** The node's burst of requests for all its pods: problems often affect ten thousand nodes at once. */
    static final int NODE_BURST = 100;

    /** The interval at which the node gets one more. */
    static final Duration NODE_REFILL = Duration.ofSeconds(6);

    private final Map<EventNotice, EventSeries> series = bounded();
    private final Map<String, Allowance> allowances = bounded();

    /** @param fresh whether to create the event; otherwise its count changes */
    record Decision(EventSeries series, boolean fresh) {}

    private Allowance ofNode = new Allowance(NODE_BURST, Optional.empty());

    /** @param at time of the state, in nanoseconds; empty before the first use */
    private record Allowance(double left, Optional<Long> at) {
        private Allowance now(long nanos, int burst, Duration refill) {
            double refilled = (double) (nanos - at.orElse(nanos)) / refill.toNanos();
            return new Allowance(Math.min(burst, left + refilled), Optional.of(nanos));
        }

        private Allowance less() {
            return new Allowance(left - 1, at);
        }
    }

    /** Decides about a notice, by the date and the monotonic clock; empty if nothing is to be reported now. */
    Optional<Decision> decide(EventNotice told, Instant now, long nanos, Supplier<String> newName) {
        EventNotice notice = told.lasting();
        EventSeries known = series.get(notice);
        boolean same = known != null && nanos - known.lastNanos() < SAME.toNanos();
        EventSeries next = same ? known.again(now, nanos) : EventSeries.begun(newName.get(), now, nanos);
        series.put(notice, next);
        boolean worthTelling =
                !same || Integer.bitCount(next.count()) == 1 || nanos - next.toldNanos() >= TOLD_AGAIN.toNanos();
        if (!worthTelling || !allowed(notice, nanos)) {
            if (!same) {
                // the event was never created: the next notice is the first
                series.remove(notice);
            }
            return Optional.empty();
        }
        EventSeries counted = next.toldAt(nanos);
        series.put(notice, counted);
        return Optional.of(new Decision(counted, !same));
    }

    /** The API server no longer has the event, or never had it: the next notice creates one. */
    void forget(EventNotice notice) {
        series.remove(notice.lasting());
    }

    private boolean allowed(EventNotice notice, long nanos) {
        String object = notice.pod().map(Object::toString).orElse("") + " " + notice.uid();
        Allowance allowance = allowances
                .getOrDefault(object, new Allowance(BURST, Optional.empty()))
                .now(nanos, BURST, REFILL);
        ofNode = ofNode.now(nanos, NODE_BURST, NODE_REFILL);
        // normal events leave half of the budget to warnings
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

    /**
     * A repeated notice, as one event with a count.
     *
     * @param name the event's name on the API server
     * @param count number of notices, from 1
     * @param lastNanos the same as {@code last}, by the monotonic clock
     * @param toldNanos time of the last report to the API server, by the same clock
     */
    record EventSeries(String name, Instant first, Instant last, int count, long lastNanos, long toldNanos) {
        static EventSeries begun(String name, Instant now, long nanos) {
            return new EventSeries(name, now, now, 1, nanos, nanos);
        }

        EventSeries again(Instant now, long nanos) {
            return new EventSeries(name, first, now, count + 1, nanos, toldNanos);
        }

        EventSeries toldAt(long nanos) {
            return new EventSeries(name, first, last, count, lastNanos, nanos);
        }
    }
}

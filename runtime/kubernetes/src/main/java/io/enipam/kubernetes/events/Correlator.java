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
 * requests at once and one more every five minutes. A series is told at its counts 2, 4, 8 and so on, and once a minute.
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

    private final Map<Notice, Series> series = bounded();
    private final Map<String, Allowance> allowances = bounded();

    /**
     * @param fresh whether the event is to be made, else its count changes
     */
    record Decision(Series series, boolean fresh) {}

    private record Allowance(double left, Instant at) {
        private Allowance now(Instant now) {
            double refilled = (double) Math.max(0, Duration.between(at, now).toMillis()) / REFILL.toMillis();
            return new Allowance(Math.min(BURST, left + refilled), now);
        }
    }

    /** @return empty if nobody is to be told now */
    Optional<Decision> decide(Notice notice, Instant now, Supplier<String> newName) {
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
        Series told = next.toldAt(now);
        series.put(notice, told);
        return Optional.of(new Decision(told, !same));
    }

    /** The API server has no such event any more, or never had: the next notice makes one. */
    void forget(Notice notice) {
        series.remove(notice);
    }

    private boolean allowed(Notice notice, Instant now) {
        String object = notice.pod().map(Object::toString).orElse("") + " " + notice.uid();
        Allowance allowance =
                allowances.getOrDefault(object, new Allowance(BURST, now)).now(now);
        boolean allowed = allowance.left() >= 1;
        allowances.put(object, allowed ? new Allowance(allowance.left() - 1, now) : allowance);
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

package io.enipam.platform;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Limits how often the same thing is reported: the first occurrence is reported at once, later ones are counted and
 * reported at most once an interval. Thread-safe; {@code this} guards the counts.
 *
 * @param <K> the key of a count, such as a user id; no more than a thousand keys at a time
 */
public final class ReportRateLimiter<K> {
    private static final int MOST_KEYS = 1_000;

    private final long intervalNanos;
    private final LongSupplier nanoTime;
    private final Map<K, Count> counts = new LinkedHashMap<>(); // by this

    /** Occurrences since the last report. */
    private static final class Count {
        private long reportedNanos;
        private long unreported;
    }

    /** @param nanoTime a monotonic clock, in nanoseconds */
    public ReportRateLimiter(Duration interval, LongSupplier nanoTime) {
        this.intervalNanos = interval.toNanos();
        this.nanoTime = nanoTime;
    }

    /** Counts an occurrence. Returns the number of occurrences to report, this one included; 0 for no report now. */
    public synchronized long add(K key) {
        long now = nanoTime.getAsLong();
        Count count = counts.get(key);
        if (count == null) {
            counts.values().removeIf(other -> other.unreported == 0 && now - other.reportedNanos >= intervalNanos);
            if (counts.size() >= MOST_KEYS) {
                return 0;
            }
            count = new Count();
            count.reportedNanos = now - intervalNanos;
            counts.put(key, count);
        }
        count.unreported++;
        return taken(count, now, false);
    }

    /** The counts to report without a further occurrence: all, or those whose interval is over. */
    public synchronized Map<K, Long> due(boolean all) {
        long now = nanoTime.getAsLong();
        Map<K, Long> due = new LinkedHashMap<>();
        counts.forEach((key, count) -> {
            long sum = taken(count, now, all);
            if (sum > 0) {
                due.put(key, sum);
            }
        });
        return due;
    }

    private long taken(Count count, long now, boolean all) {
        if (count.unreported == 0 || !all && now - count.reportedNanos < intervalNanos) {
            return 0;
        }
        long sum = count.unreported;
        count.unreported = 0;
        count.reportedNanos = now;
        return sum;
    }
}

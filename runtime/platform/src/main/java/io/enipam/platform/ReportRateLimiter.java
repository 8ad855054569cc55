package io.enipam.platform;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Bounds how often the same thing is reported, whatever makes it happen: the first time is reported at once, and those after it
 * are summed up and reported at most once an interval. Thread-safe; {@code this} guards the counts.
 *
 * @param <K> what is counted apart, such as a user id; no more than a thousand of them at a time
 */
public final class ReportRateLimiter<K> {
    private static final int MOST_KEYS = 1_000;

    private final long intervalNanos;
    private final LongSupplier nanoTime;
    private final Map<K, Count> counts = new LinkedHashMap<>(); // by this

    /** What happened since the last report of it. */
    private static final class Count {
        private long reportedNanos;
        private long unreported;
    }

    /** @param nanoTime tells passing time, in nanoseconds */
    public ReportRateLimiter(Duration interval, LongSupplier nanoTime) {
        this.intervalNanos = interval.toNanos();
        this.nanoTime = nanoTime;
    }

    /** It happened once more. Returns how often it is to be reported to have happened, this time included; 0 for no report now. */
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

    /**
     * What was summed up and is to be reported now, though it did not happen again.
     *
     * @param all also where the interval is not over
     */
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

package io.enipam.kubernetes.api;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The pause that the API server has asked for: an answer 429 or 503 with {@code Retry-After} applies to all further
 * requests. Thread-safe.
 *
 * @see <a href="https://kubernetes.io/docs/concepts/cluster-administration/flow-control/">API priority and fairness</a>
 */
final class RetryAfterGate {
    /** Upper bound, so that a proxy's value cannot block requests for longer. */
    static final Duration LONGEST = Duration.ofMinutes(1);

    private final LongSupplier nanos;
    private final AtomicLong until;

    /** @param nanos a monotonic clock, in nanoseconds */
    RetryAfterGate(LongSupplier nanos) {
        this.nanos = nanos;
        this.until = new AtomicLong(nanos.getAsLong());
    }

    /** @param retryAfter the header, in seconds; any other text causes no pause */
    void onResponse(int code, @Nullable String retryAfter) {
        if ((code == 429 || code == 503) && retryAfter != null && retryAfter.matches("\\d{1,9}")) {
            long rest = Math.min(
                    LONGEST.toNanos(),
                    Duration.ofSeconds(Long.parseLong(retryAfter)).toNanos());
            long end = nanos.getAsLong() + rest;
            until.accumulateAndGet(end, (before, now) -> now - before > 0 ? now : before);
        }
    }

    /** A request is not sent, since its answer would come too late. */
    static final class StillClosed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private StillClosed(String message) {
            super(message);
        }
    }

    /**
     * Blocks until the pause is over.
     *
     * @throws StillClosed if the pause exceeds the limit, or the thread is interrupted
     */
    void await(Duration limit) {
        Duration left = left();
        if (left.compareTo(limit) > 0) {
            throw new StillClosed(
                    "the API server has too much to do, and wants " + (left.toSeconds() + 1) + " s of rest");
        }
        try {
            TimeUnit.NANOSECONDS.sleep(left.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StillClosed("the daemon is stopping");
        }
    }

    /** The rest of the pause, or zero. */
    Duration left() {
        return Duration.ofNanos(Math.max(0, until.get() - nanos.getAsLong()));
    }
}

package io.enipam.engine;

import java.time.Duration;

/**
 * Terway's {@code idle_ip_reclaim_*}: a pool that has grown for a rush gives back, little by little, what nobody has asked
 * for in a long time, down to the lower watermark.
 *
 * @param after how long an address has to be idle; zero for no reclaim at all
 * @param interval time between two rounds, at least one second
 * @param batch addresses a round gives back at most, at least 1
 * @param jitter by what part an interval may be shorter or longer, 0 to 1
 */
public record IdleReclaim(Duration after, Duration interval, int batch, double jitter) {
    public IdleReclaim {
        if (after.isNegative() || interval.compareTo(Duration.ofSeconds(1)) < 0 || batch < 1) {
            throw new IllegalArgumentException(
                    "needs after >= 0, interval >= 1s and batch >= 1, got " + after + ", " + interval + ", " + batch);
        }
        if (!(jitter >= 0 && jitter <= 1)) {
            throw new IllegalArgumentException("needs a jitter of 0 to 1, got " + jitter);
        }
    }

    /** No reclaim: the watermarks alone decide. */
    public static IdleReclaim none() {
        return new IdleReclaim(Duration.ZERO, Duration.ofMinutes(10), 5, 0.1);
    }

    /** Whether there is any. */
    public boolean on() {
        return !after.isZero();
    }
}

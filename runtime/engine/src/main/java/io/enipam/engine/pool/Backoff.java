package io.enipam.engine.pool;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Capped exponential back-off with jitter: after the n-th failure in a row half to all of {@code min(cap, first * 2^(n-1))}.
 * The jitter keeps ten thousand nodes from coming back in the same second.
 */
record Backoff(Duration first, Duration cap) {
    static final Backoff CLOUD = new Backoff(Duration.ofMillis(500), Duration.ofMinutes(1));

    /**
     * How long to leave it alone.
     *
     * @param failures in a row, at least 1
     * @param atLeast what the other side asked for
     */
    Duration after(int failures, Duration atLeast, RandomGenerator random) {
        long whole = Math.min(cap.toNanos(), first.toNanos() << Math.min(failures - 1, 20));
        long jittered = whole / 2 + (long) (random.nextDouble() * whole / 2);
        return Duration.ofNanos(Math.max(jittered, atLeast.toNanos()));
    }
}

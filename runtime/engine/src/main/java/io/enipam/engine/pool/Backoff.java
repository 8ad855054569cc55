package io.enipam.engine.pool;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Capped exponential back-off with jitter: after the n-th failure in a row half to all of {@code min(cap, first * 2^(n-1))}.
 * The jitter keeps ten thousand nodes from coming back in the same second.
 */
record Backoff(Duration first, Duration cap) {
    /** What the other side may ask for: nobody puts the node to sleep for good. */
    private static final Duration LONGEST_WISH = Duration.ofMinutes(10);

    static final Backoff CLOUD = new Backoff(Duration.ofMillis(500), Duration.ofMinutes(1));

    /** While something waits for others of this node's to go, which may be any moment. */
    static final Backoff OTHERS_FIRST = new Backoff(Duration.ofMillis(500), Duration.ofSeconds(5));

    /** After a failure that somebody has to mend first. */
    static final Backoff MENDING = new Backoff(Duration.ofMinutes(1), Duration.ofMinutes(1));

    /**
     * How long to leave it alone.
     *
     * @param failures in a row, at least 1
     * @param atLeast what the other side asked for; cut to ten minutes
     */
    Duration after(int failures, Duration atLeast, RandomGenerator random) {
        long whole = Math.min(cap.toNanos(), first.toNanos() << Math.min(failures - 1, 20));
        long jittered = whole / 2 + (long) (random.nextDouble() * whole / 2);
        Duration wish = atLeast.compareTo(LONGEST_WISH) < 0 ? atLeast : LONGEST_WISH;
        return Duration.ofNanos(Math.max(jittered, wish.toNanos()));
    }
}

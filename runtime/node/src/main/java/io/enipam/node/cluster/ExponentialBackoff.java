package io.enipam.node.cluster;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait after failures in a row: at first as long as the shortest, then twice as long each time up to the longest, each a
 * fifth more or less, since ten thousand nodes that fail together should not ask together again. Not thread-safe.
 */
final class ExponentialBackoff {
    private static final double SPREAD = 0.2;

    private final Duration shortest;
    private final Duration longest;
    private final RandomGenerator random;
    private Duration next;

    ExponentialBackoff(Duration shortest, Duration longest, RandomGenerator random) {
        this.shortest = shortest;
        this.longest = longest;
        this.random = random;
        next = shortest;
    }

    /** Another failure. */
    Duration next() {
        Duration now = next;
        Duration twice = now.multipliedBy(2);
        next = twice.compareTo(longest) < 0 ? twice : longest;
        return spread(now, random);
    }

    /** It worked. */
    void reset() {
        next = shortest;
    }

    /** About as long, and no two alike. */
    static Duration spread(Duration about, RandomGenerator random) {
        return Duration.ofMillis((long) (about.toMillis() * random.nextDouble(1 - SPREAD, 1 + SPREAD)));
    }
}

package io.enipam.engine.pool;

import io.enipam.engine.concurrent.Backoff;
import io.enipam.sdk.RequestToken;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** Random values of the pool: tokens, and the jitter of its pauses. Thread-safe; {@code this} guards the generator. */
record RandomSource(RandomGenerator random) {
    /** Pauses after failures of the cloud. */
    static final Backoff CLOUD =
            Backoff.doubling(Duration.ofMillis(500), Duration.ofMinutes(1)).jittered(0.5, 1);

    /** Pauses while a disposal waits for other resources of this node to go, which may happen at any moment. */
    static final Backoff OTHERS_FIRST =
            Backoff.doubling(Duration.ofMillis(500), Duration.ofSeconds(5)).jittered(0.5, 1);

    /** Pauses after a policy gave no target. */
    static final Backoff POLICY =
            Backoff.doubling(Duration.ofSeconds(1), Duration.ofMinutes(1)).jittered(0.5, 1);

    /** Pauses after a failure that an operator has to repair first. */
    static final Backoff REPAIR =
            Backoff.doubling(Duration.ofMinutes(1), Duration.ofMinutes(1)).jittered(0.5, 1);

    /** The longest pause that a factory may ask for: no answer stops the creates for good. */
    private static final Duration LONGEST_ASKED = Duration.ofMinutes(10);

    private static final Duration SHORTEST = Duration.ofMillis(100);

    synchronized RequestToken token() {
        return new RequestToken(String.format("enipam-%016x%016x", random.nextLong(), random.nextLong()));
    }

    /** A span of time, shorter or longer by up to a part of it, but at least 100 ms. */
    synchronized Duration jitter(Duration span, double part) {
        return longer(Backoff.spread(span, part, random), SHORTEST);
    }

    /** @param atLeast what the factory asked for; cut to ten minutes */
    synchronized Duration pause(Backoff backoff, int failures, Duration atLeast) {
        Duration asked = atLeast.compareTo(LONGEST_ASKED) < 0 ? atLeast : LONGEST_ASKED;
        return longer(backoff.pause(failures, random), asked);
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }
}

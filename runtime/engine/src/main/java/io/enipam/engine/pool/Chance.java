package io.enipam.engine.pool;

import io.enipam.sdk.RequestToken;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** What the pool leaves to chance: tokens, and the jitter of its back-offs. Thread-safe; {@code this} guards the source. */
final class Chance {
    private final RandomGenerator random;

    Chance(RandomGenerator random) {
        this.random = random;
    }

    synchronized RequestToken token() {
        return new RequestToken(String.format("enipam-%016x%016x", random.nextLong(), random.nextLong()));
    }

    /** A span of time, up to a tenth shorter or longer. */
    synchronized Duration spread(Duration span) {
        return Duration.ofNanos((long) (span.toNanos() * (0.9 + 0.2 * random.nextDouble())));
    }

    /** How long to leave the cloud alone after so many failures in a row. */
    synchronized Duration pause(int failures, Duration atLeast) {
        return Backoff.CLOUD.after(failures, atLeast, random);
    }

    /** How long to leave it alone when somebody has to mend something first. */
    synchronized Duration pauseForMending(Duration atLeast) {
        return Backoff.MENDING.after(1, atLeast, random);
    }
}

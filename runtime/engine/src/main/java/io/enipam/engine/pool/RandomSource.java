package io.enipam.engine.pool;

import io.enipam.sdk.RequestToken;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** What the pool leaves to chance: tokens, and the jitter of its back-offs. Thread-safe; {@code this} guards the source. */
final class RandomSource {
    private static final Duration SHORTEST = Duration.ofMillis(100);

    private final RandomGenerator random;

    RandomSource(RandomGenerator random) {
        this.random = random;
    }

    synchronized RequestToken token() {
        return new RequestToken(String.format("enipam-%016x%016x", random.nextLong(), random.nextLong()));
    }

    /** A span of time, shorter or longer by up to a part of it, but not below the shortest there is. */
    synchronized Duration jitter(Duration span, double part) {
        double factor = 1 - part + 2 * part * random.nextDouble();
        return Duration.ofNanos(Math.max((long) (span.toNanos() * factor), SHORTEST.toNanos()));
    }

    /** How long to leave the cloud alone after so many failures in a row. */
    synchronized Duration backoff(int failures, Duration atLeast) {
        return Backoff.CLOUD.after(failures, atLeast, random);
    }

    /** How long to leave it alone when others of this node's have to go first. */
    synchronized Duration pauseForOthers(int failures, Duration atLeast) {
        return Backoff.OTHERS_FIRST.after(failures, atLeast, random);
    }

    /** How long to leave it alone when somebody has to mend something first. */
    synchronized Duration pauseForMending(Duration atLeast) {
        return Backoff.MENDING.after(1, atLeast, random);
    }
}

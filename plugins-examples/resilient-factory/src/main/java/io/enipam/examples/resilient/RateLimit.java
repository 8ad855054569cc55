package io.enipam.examples.resilient;

import io.enipam.sdk.Settings;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** A token bucket for creates: so many a second in the long run, so many at once after a quiet time. Thread-safe. */
final class RateLimit {
    private final Duration period;
    private final int burst;
    private final Bucket bucket;

    RateLimit(Settings settings, Clock clock) {
        this.period = Duration.ofNanos(
                (long) (TimeUnit.SECONDS.toNanos(1) / settings.get(ResilientSettings.CREATES_PER_SECOND)));
        this.burst = settings.get(ResilientSettings.BURST);
        this.bucket = Bucket.builder()
                .addLimit(limit -> limit.capacity(burst).refillGreedy(1, period))
                .withCustomTimePrecision(new ClockMeter(clock))
                .build();
    }

    boolean tryTake() {
        return bucket.tryConsume(1);
    }

    /** How long until the {@code n}-th waiter can have a token, if no other comes. */
    Duration waitOf(int n) {
        long first = bucket.estimateAbilityToConsume(1).getNanosToWaitForRefill();
        return Duration.ofNanos(first).plus(period.multipliedBy(n - 1L));
    }

    long tokensLeft() {
        return bucket.getAvailableTokens();
    }

    int burst() {
        return burst;
    }

    private record ClockMeter(Clock clock) implements TimeMeter {
        @Override
        public long currentTimeNanos() {
            Instant now = clock.instant();
            return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
        }

        @Override
        public boolean isWallClockBased() {
            return true;
        }
    }
}

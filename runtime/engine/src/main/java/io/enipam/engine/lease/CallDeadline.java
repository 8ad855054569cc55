package io.enipam.engine.lease;

import io.enipam.engine.port.TimeSource;
import java.time.Duration;

/**
 * The time one call has. The steps share it; a tenth of it (a quarter of a second at most) is kept back, so that a step
 * that runs out still answers, with the cause it knows, before the caller's own deadline.
 */
record CallDeadline(TimeSource time, long deadline) {
    private static final Duration MOST_KEPT_BACK = Duration.ofMillis(250);

    static CallDeadline of(TimeSource time, Duration timeout) {
        Duration tenth = timeout.dividedBy(10);
        Duration keptBack = tenth.compareTo(MOST_KEPT_BACK) < 0 ? tenth : MOST_KEPT_BACK;
        return new CallDeadline(time, time.nanoTime() + timeout.minus(keptBack).toNanos());
    }

    /** What is left, at least a nanosecond. */
    Duration left() {
        return Duration.ofNanos(Math.max(1, deadline - time.nanoTime()));
    }

    boolean expired() {
        return deadline - time.nanoTime() <= 0;
    }

    /** What is left, but no more than a step may take. */
    Duration atMost(Duration step) {
        Duration left = left();
        return left.compareTo(step) < 0 ? left : step;
    }
}

package io.enipam.pluginhost.guard;

import dev.failsafe.CircuitBreaker;
import io.enipam.pluginhost.guard.PluginCallCounts.BreakerState;
import java.time.Duration;
import java.util.Optional;

/**
 * The breaker of one part of a plugin, with the reason it opened for. Each call that {@link #admits} let through is
 * followed by one {@link #recordSuccess} or {@link #recordFailure}. Thread-safe.
 */
final class Breaker {
    private final CircuitBreaker<Object> breaker;
    private final String rule;
    private volatile String last = "";

    /** @param changed called after every change of state */
    Breaker(GuardLimits.BreakerRule limits, Runnable changed) {
        rule = limits.failures() + " of the last " + limits.window() + " calls failed";
        breaker = CircuitBreaker.builder()
                .withFailureThreshold(limits.failures(), limits.window())
                .withSuccessThreshold(1)
                .withDelay(limits.pause())
                .onOpen(event -> changed.run())
                .onHalfOpen(event -> changed.run())
                .onClose(event -> changed.run())
                .build();
    }

    /** Whether a call may be made now. */
    boolean admits() {
        return breaker.tryAcquirePermit();
    }

    /** Whether no call may be made for a while. */
    boolean open() {
        return breaker.isOpen() && !pause().isZero();
    }

    Duration pause() {
        Duration left = breaker.getRemainingDelay();
        return left.isNegative() ? Duration.ZERO : left;
    }

    void recordSuccess() {
        breaker.recordSuccess();
    }

    void recordFailure(String why) {
        last = why;
        breaker.recordFailure();
    }

    /** Something went wrong after the outcome of its call was decided. */
    void recordLateFailure(String why) {
        if (breaker.isClosed()) {
            recordFailure(why);
        }
    }

    BreakerState state() {
        return switch (breaker.getState()) {
            case CLOSED -> BreakerState.CLOSED;
            case HALF_OPEN -> BreakerState.HALF_OPEN;
            case OPEN -> BreakerState.OPEN;
        };
    }

    /** Why not every call is let through, if so. */
    Optional<String> trouble() {
        if (breaker.isClosed()) {
            return Optional.empty();
        }
        return Optional.of(PluginText.line(rule + ", at last: " + last));
    }
}

package io.enipam.examples.resilient;

import io.enipam.sdk.CreateResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Settings;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A circuit breaker on the creates of the wrapped factory.
 *
 * <p><b>What counts.</b> A failure is what another try of any caller would meet again right now: {@code UNAVAILABLE},
 * {@code THROTTLED}, {@code DEADLINE_EXCEEDED}, {@code INTERNAL}. A provider that says that its addresses are used up
 * or that the configuration is wrong has answered, and is well.
 *
 * <p><b>Calls that never come back.</b> A create under way whose deadline is over counts as a failure from the next
 * create on, so that a provider that hangs opens the breaker, too. No timer is needed for that, and the answer, should
 * it come after all, is passed on: it only counts no more.
 *
 * <p>Thread-safe.
 */
final class ProviderCircuitBreaker {
    private static final Set<ErrorKind> ILL =
            Set.of(ErrorKind.UNAVAILABLE, ErrorKind.THROTTLED, ErrorKind.DEADLINE_EXCEEDED, ErrorKind.INTERNAL);

    /** For callers that come while trials are under way. */
    private static final Duration DURING_TRIALS = Duration.ofSeconds(1);

    /** The library lets the first trial through after its wait, not at the end of it. */
    private static final Duration MOMENT = Duration.ofMillis(1);

    private final CircuitBreaker breaker;
    private final Clock steady;
    private final Clock clock;
    private final Duration openFor;
    private final Set<Call> underWay = ConcurrentHashMap.newKeySet();
    private volatile Instant openUntil = Instant.MIN;
    private volatile String lastFailure = "";

    /**
     * @param steady for lengths of time
     * @param clock the clock of the requests' deadlines
     */
    ProviderCircuitBreaker(Settings settings, Clock steady, Clock clock) {
        this.steady = steady;
        this.clock = clock;
        this.openFor = settings.get(ResilientSettings.OPEN_FOR);
        int window = settings.get(ResilientSettings.WINDOW);
        this.breaker = CircuitBreaker.of(
                "creates",
                CircuitBreakerConfig.custom()
                        .clock(steady)
                        .slidingWindowType(SlidingWindowType.COUNT_BASED)
                        .slidingWindowSize(window)
                        .minimumNumberOfCalls(Math.min(window, settings.get(ResilientSettings.LEAST_CALLS)))
                        .failureRateThreshold(settings.get(ResilientSettings.FAILURE_RATE))
                        .waitDurationInOpenState(openFor)
                        .permittedNumberOfCallsInHalfOpenState(settings.get(ResilientSettings.TRIALS))
                        .build());
        breaker.getEventPublisher().onStateTransition(event -> {
            if (event.getStateTransition().getToState() == CircuitBreaker.State.OPEN) {
                openUntil = steady.instant().plus(openFor).plus(MOMENT);
            }
        });
    }

    /** Counts those that are overdue as failures. */
    void countOverdue() {
        Instant now = clock.instant();
        for (Call call : underWay) {
            if (!now.isBefore(call.deadline)) {
                call.finish(Failed.of(ErrorKind.DEADLINE_EXCEEDED, "no answer within the deadline"));
            }
        }
    }

    /** Whether a create may pass now; one that does is followed by {@link #begin} or {@link #giveUp}. */
    boolean allows() {
        return breaker.tryAcquirePermission();
    }

    /** A create that was allowed did not happen. */
    void giveUp() {
        breaker.releasePermission();
    }

    /** A create that was allowed is under way. */
    Call begin(Instant deadline) {
        Call call = new Call(deadline);
        underWay.add(call);
        return call;
    }

    /** How long a create that was not allowed should wait. */
    Duration waitLeft() {
        Instant now = steady.instant();
        return breaker.getState() == CircuitBreaker.State.OPEN && now.isBefore(openUntil)
                ? Duration.between(now, openUntil)
                : DURING_TRIALS;
    }

    CircuitBreaker.State state() {
        return breaker.getState();
    }

    CircuitBreaker.Metrics metrics() {
        return breaker.getMetrics();
    }

    /** The last failure as text, or empty text. */
    String lastFailure() {
        return lastFailure;
    }

    int underWay() {
        return underWay.size();
    }

    /** One create under way; its outcome is counted once, by the first that reports it. */
    final class Call {
        private final Instant deadline;
        private final AtomicBoolean finished = new AtomicBoolean();

        private Call(Instant deadline) {
            this.deadline = deadline;
        }

        /** @return false if it was counted before, as overdue */
        boolean finish(CreateResult outcome) {
            if (!finished.compareAndSet(false, true)) {
                return false;
            }
            underWay.remove(this);
            // the time a call took is left out: this breaker counts failures, and creates of an ENI are slow by nature
            if (outcome instanceof Failed failed && ILL.contains(failed.kind())) {
                lastFailure = failed.kind() + ": " + failed.message();
                breaker.onError(0, TimeUnit.NANOSECONDS, new ProviderFailure(lastFailure));
            } else {
                breaker.onSuccess(0, TimeUnit.NANOSECONDS);
            }
            return true;
        }
    }

    /** A failure as the breaker's library takes it; never thrown. */
    private static final class ProviderFailure extends Exception {
        private static final long serialVersionUID = 1L;

        ProviderFailure(String message) {
            super(message, null, false, false);
        }
    }
}

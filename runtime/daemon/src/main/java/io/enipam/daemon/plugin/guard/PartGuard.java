package io.enipam.daemon.plugin.guard;

import dev.failsafe.CircuitBreaker;

/**
 * The breaker of one part of a plugin, a policy or a factory, and why it tripped. Thread-safe.
 *
 * <p>While a call of the part is overdue nothing more is admitted: code that loops for ever costs the threads that were in it
 * when it began to, and no more.
 */
final class PartGuard {
    private final String name;
    private final GuardLimits limits;
    private final CircuitBreaker<Object> breaker;
    private final Runnable changed;
    private volatile String lastFailure = "";
    private volatile String overdueCall = "";
    private int overdue;

    /** @param changed told when what {@link #trouble()} says may have changed */
    PartGuard(String name, GuardLimits limits, Runnable changed) {
        this.name = name;
        this.limits = limits;
        this.changed = changed;
        this.breaker = CircuitBreaker.builder()
                .withFailureThreshold(limits.failures(), limits.of())
                .withDelay(limits.pause())
                .withSuccessThreshold(1)
                .onOpen(event -> changed.run())
                .onClose(event -> changed.run())
                .build();
    }

    String name() {
        return name;
    }

    /** Whether a call may be made now. Who is told yes makes one, and says how it ended. */
    boolean admits() {
        return overdueCall.isEmpty() && breaker.tryAcquirePermit();
    }

    /** Whether {@link #admits()} would say no, without taking what it would grant. */
    boolean down() {
        return !overdueCall.isEmpty()
                || (breaker.isOpen() && breaker.getRemainingDelay().toMillis() > 0);
    }

    void succeeded() {
        breaker.recordSuccess();
    }

    void failed(String why) {
        lastFailure = why;
        breaker.recordFailure();
    }

    /** A call did not come back in time; the breaker opens at once. */
    void late(String what, Thread thread) {
        synchronized (this) {
            overdue++;
            overdueCall = "'" + what + "' has not come back (thread " + thread.getName() + ")";
        }
        lastFailure = "'" + what + "' did not come back within its deadline";
        breaker.open();
        changed.run();
    }

    /** A call that was late came back. */
    void cameBack() {
        synchronized (this) {
            overdue--;
            if (overdue == 0) {
                overdueCall = "";
            }
        }
        changed.run();
    }

    /** Why it is not called now; empty if it is. */
    String trouble() {
        String hanging = overdueCall;
        if (!hanging.isEmpty()) {
            return name + ": " + hanging;
        }
        return breaker.isClosed()
                ? ""
                : name + ": " + lastFailure + "; one call tries again every "
                        + limits.pause().toSeconds() + " s";
    }

    CircuitBreaker.State state() {
        return breaker.getState();
    }
}

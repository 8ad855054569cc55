package io.enipam.daemon.plugin.guard;

import java.util.concurrent.atomic.AtomicReference;

/**
 * One call of a plugin's code while it is under way: a race between the code, which wants to answer, and the watchdog, which
 * claims the call when its time is over. Exactly one of them wins.
 *
 * <p>The watchdog interrupts the thread after it has won. So the thread, when the code returns at last, waits until the
 * interrupt was delivered and clears it: a stray interrupt would close whatever file channel the thread uses next.
 */
final class WatchedCall {
    private enum Phase {
        RUNNING,
        ANSWERED,
        CLAIMED,
        INTERRUPTED
    }

    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.RUNNING);
    private final String what;
    private final Thread thread;
    private final long begun;
    private final long allowed;
    private final Runnable whenLate;

    /**
     * A call on this thread.
     *
     * @param begun {@code nanoTime} of the beginning
     * @param allowed nanoseconds it may take
     * @param whenLate runs on the watchdog's thread once the call is claimed; must not block
     */
    WatchedCall(String what, long begun, long allowed, Runnable whenLate) {
        this.what = what;
        this.thread = Thread.currentThread();
        this.begun = begun;
        this.allowed = allowed;
        this.whenLate = whenLate;
    }

    String what() {
        return what;
    }

    Thread thread() {
        return thread;
    }

    long begun() {
        return begun;
    }

    /** On the call's thread: the code has returned. True if it did in time; false if the watchdog has claimed the call. */
    boolean answered() {
        // whatever the code left behind in the flag is the code's, not the engine's
        if (phase.compareAndSet(Phase.RUNNING, Phase.ANSWERED)) {
            Thread.interrupted();
            return true;
        }
        while (phase.get() != Phase.INTERRUPTED) {
            Thread.onSpinWait();
        }
        Thread.interrupted();
        return false;
    }

    boolean running() {
        return phase.get() == Phase.RUNNING;
    }

    /** On the watchdog's thread: claims the call if its time is over. */
    boolean claimIfLate(long now) {
        if (now - begun < allowed || !phase.compareAndSet(Phase.RUNNING, Phase.CLAIMED)) {
            return false;
        }
        try {
            whenLate.run();
        } finally {
            thread.interrupt();
            phase.set(Phase.INTERRUPTED);
        }
        return true;
    }
}

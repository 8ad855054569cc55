package io.enipam.pluginhost.guard;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One call that is inside a plugin, and which side ends it.
 *
 * <p>Two want to: the thread that made the call, when the plugin returns, and the watchdog or asker that finds it
 * overdue. Both try to move the state on from {@code RUNNING}, by compare-and-set, and the state never comes back
 * there, so exactly one succeeds:
 *
 * <pre>
 * RUNNING -> DONE                 the thread came back in time; its answer counts
 * RUNNING -> CLAIMED -> SETTLED   it did not; the claimer answers for it, then interrupts it, then says so
 * </pre>
 *
 * <p>The thread that finds its call claimed has lost it and may do nothing but leave. It may not leave before {@code
 * SETTLED}: the claimer's interrupt would hit whatever the thread does next, and an interrupt that hits the journal's
 * file channel closes it. After {@code SETTLED} no interrupt of the claimer's is under way, so the thread clears its
 * flag and is clean.
 *
 * <p>A call handed to another thread begins without one. That thread sets {@link #begin} and then reads the state; the
 * claimer moves the state and then reads the thread. Both are volatile, so at least one of them sees the other: the
 * thread does not begin, or the claimer interrupts it; never does a claimed call begin unseen.
 */
class InFlightCall {
    private static final int RUNNING = 0;
    private static final int DONE = 1;
    private static final int CLAIMED = 2;
    private static final int SETTLED = 3;

    private static final AtomicIntegerFieldUpdater<InFlightCall> STATE =
            AtomicIntegerFieldUpdater.newUpdater(InFlightCall.class, "state");
    private static final AtomicReferenceFieldUpdater<InFlightCall, Thread> THREAD =
            AtomicReferenceFieldUpdater.newUpdater(InFlightCall.class, Thread.class, "thread");

    private final String what;
    private final long began;

    private volatile @Nullable Thread thread;
    private volatile int state;

    /**
     * @param what the call's name, for operators
     * @param began nanoseconds of the guard's clock
     * @param thread the thread it runs on, or null if that is not known yet
     */
    InFlightCall(String what, long began, @Nullable Thread thread) {
        this.what = what;
        this.began = began;
        // no fence: other threads see it by however they see this object
        THREAD.lazySet(this, thread);
    }

    String what() {
        return what;
    }

    long began() {
        return began;
    }

    @Nullable
    Thread thread() {
        return thread;
    }

    boolean running() {
        return state == RUNNING;
    }

    /** Whether it was found overdue. */
    boolean claimed() {
        return state >= CLAIMED;
    }

    /** The calling thread takes a call over that was handed to it: false if it has been claimed meanwhile. */
    boolean begin() {
        thread = Thread.currentThread();
        return running();
    }

    /** The plugin has returned: true if the answer counts. */
    boolean finish() {
        return STATE.compareAndSet(this, RUNNING, DONE);
    }

    /**
     * The call is overdue: true if the caller of this method has to answer for it, and to {@link #settle} it after that.
     */
    boolean claim() {
        return STATE.compareAndSet(this, RUNNING, CLAIMED);
    }

    /** Interrupts the thread of a claimed call and lets it go. What this runs may be the plugin's, and may hang. */
    void settle() {
        try {
            Thread at = thread();
            if (at != null) {
                at.interrupt();
            }
        } finally {
            state = SETTLED;
        }
    }

    /** Waits, on the call's own thread, until the claimer's interrupt is through, and clears it. */
    void leave() {
        for (int turn = 0; state != SETTLED; turn++) {
            if (turn < 100) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(this, TimeUnit.MICROSECONDS.toNanos(Math.min(turn, 5_000)));
                Thread.interrupted();
            }
        }
        Thread.interrupted();
    }

    /** For how long it has been inside, and where: {@code 3 s (thread engine-2)}. */
    String age(long now) {
        Thread at = thread();
        long millis = TimeUnit.NANOSECONDS.toMillis(now - began);
        return (millis < 1000 ? millis + " ms" : millis / 1000 + " s")
                + (at == null ? "" : " (thread " + at.getName() + ")");
    }

    /** A question that a policy is busy with, and the caller that waits for the answer. */
    static final class PolicyCall<T> extends InFlightCall {
        private final Consumer<Optional<T>> then;
        private final @Nullable Thread waiter;
        private Optional<T> answer = Optional.empty();

        /**
         * @param thread the asker's own thread, if the question is asked there; then its claimer calls {@code then}
         * @param waiter the asker's thread, if the question is handed to a plugin thread; then the asker claims it
         */
        PolicyCall(
                String question,
                long began,
                @Nullable Thread thread,
                @Nullable Thread waiter,
                Consumer<Optional<T>> then) {
            super(question, began, thread);
            this.waiter = waiter;
            this.then = then;
        }

        /** The thread that waits, of a question that was handed over. */
        @Nullable
        Thread waiter() {
            return waiter;
        }

        /** Keeps the answer for the waiter: set before {@link #finish()}, which publishes it. */
        void answer(Optional<T> answer) {
            this.answer = answer;
        }

        /** The answer, for a waiter that has seen the call done. */
        Optional<T> answer() {
            return answer;
        }

        void tell(Optional<T> outcome) {
            then.accept(outcome);
        }

        void tellNothing() {
            then.accept(Optional.empty());
        }
    }
}

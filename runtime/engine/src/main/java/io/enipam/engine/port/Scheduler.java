package io.enipam.engine.port;

import java.time.Duration;

/** The engine's threads. Tasks must not block. Thread-safe. */
public interface Scheduler {
    /** Runs a task soon, on another thread than the caller's or after the caller has returned. */
    void execute(Runnable task);

    Cancellable after(Duration delay, Runnable task);

    interface Cancellable {
        /** Prevents the task if it has not begun; otherwise does nothing. */
        void cancel();
    }
}

package io.enipam.engine;

import io.enipam.engine.port.Scheduler;
import java.time.Duration;

/** Threads that have done a task before the caller of {@link #execute} gets on; timers are another's. */
record EagerScheduler(Scheduler timers) implements Scheduler {
    private static final long PATIENCE_MILLIS = 1_000;

    @Override
    public void execute(Runnable task) {
        Thread thread = new Thread(task, "fast");
        thread.setDaemon(true);
        thread.start();
        try {
            // one that needs a lock of the caller's ends later
            thread.join(PATIENCE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Cancellable after(Duration delay, Runnable task) {
        return timers.after(delay, task);
    }
}

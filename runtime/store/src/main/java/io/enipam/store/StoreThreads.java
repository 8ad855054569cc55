package io.enipam.store;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** The database's threads: daemon threads, since commits that they have not acknowledged may be lost. */
final class StoreThreads {
    private StoreThreads() {}

    static ThreadFactory named(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Waits for an executor that was shut down; an interrupt is kept for the caller and does not end the wait. */
    static boolean awaitEnd(ExecutorService executor, long timeout, TimeUnit unit) {
        long deadline = System.nanoTime() + unit.toNanos(timeout);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return executor.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}

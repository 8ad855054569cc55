package io.enipam.cni;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Work that is given up when it takes too long. */
final class TimeLimiter {
    /** Something that may wait for ever. */
    interface Work<T> {
        T done() throws IOException, CallFailedException, InterruptedException;
    }

    private TimeLimiter() {}

    /**
     * Waits for some work. One that is given up goes on by itself, in a thread that holds up no exit. Throws
     * TimeoutException if it takes longer.
     */
    static <T> T call(long millis, Work<T> work)
            throws IOException, CallFailedException, InterruptedException, TimeoutException {
        FutureTask<T> task = new FutureTask<>(work::done);
        Thread thread = new Thread(task, "enipam-cni");
        thread.setDaemon(true);
        thread.start();
        try {
            return task.get(Math.max(0, millis), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException io) {
                throw io;
            }
            if (e.getCause() instanceof CallFailedException failed) {
                throw failed;
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}

package io.enipam.node.overrides;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that stores results of overrides, one after the other. {@link #close()} returns after all submitted writes,
 * and interrupts none: without the stored result the next start would repeat a completed override. Thread-safe.
 */
public final class FlushingExecutor implements Executor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FlushingExecutor.class);
    /** A slower disk would delay the daemon's shutdown. */
    private static final long LONGEST_SECONDS = 10;

    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread made = new Thread(task, "orders");
        made.setDaemon(true);
        made.setContextClassLoader(FlushingExecutor.class.getClassLoader());
        return made;
    });

    @Override
    public void execute(Runnable write) {
        try {
            thread.execute(write);
        } catch (RejectedExecutionException e) {
            LOG.warn("what became of an order came after the end, and is not noted", e);
        }
    }

    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(LONGEST_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("the disk takes longer than {} s: what became of an order may not be noted", LONGEST_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.enipam.engine.testing;

import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Real clocks and real threads. */
public final class RealTime implements TimeSource, Scheduler, AutoCloseable {
    private final ScheduledExecutorService threads;

    /** With one thread. */
    public RealTime() {
        this(1);
    }

    public RealTime(int threads) {
        this.threads = new ScheduledThreadPoolExecutor(threads);
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public void execute(Runnable task) {
        threads.execute(task);
    }

    @Override
    public Cancellable after(Duration delay, Runnable task) {
        try {
            Future<?> scheduled = threads.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
            return () -> scheduled.cancel(false);
        } catch (RejectedExecutionException e) {
            // the test is over: what a late answer schedules has no meaning any more
            return () -> {};
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}

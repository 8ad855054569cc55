package io.enipam.engine.pool;

import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Real clocks and real threads, for tests of what happens between threads. */
public final class RealTime implements TimeSource, Scheduler, AutoCloseable {
    private final ScheduledExecutorService threads = new ScheduledThreadPoolExecutor(4);

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
        ScheduledFuture<?> scheduled = threads.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}

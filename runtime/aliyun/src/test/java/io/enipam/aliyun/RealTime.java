package io.enipam.aliyun;

import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** The machine's clock and one timer thread. */
public final class RealTime implements TimeSource, Scheduler, AutoCloseable {
    private final Clock clock = Clock.systemUTC();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "test-timer");
        thread.setDaemon(true);
        return thread;
    });

    @Override
    public Instant now() {
        return clock.instant();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public void execute(Runnable task) {
        timer.execute(task);
    }

    @Override
    public Cancellable after(Duration delay, Runnable task) {
        try {
            ScheduledFuture<?> planned = timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
            return () -> planned.cancel(false);
        } catch (RejectedExecutionException e) {
            // The test is over; what a late answer wants to plan has no more meaning.
            return () -> {};
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}

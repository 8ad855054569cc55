package io.enipam.kubernetes.testing;

import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.port.Scheduler;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The engine's threads, for what works with the real time. */
public final class TestScheduler implements Scheduler, AutoCloseable {
    private final ScheduledExecutorService threads =
            Executors.newScheduledThreadPool(2, DaemonThreads.numbered("test-engine"));

    @Override
    public void execute(Runnable task) {
        threads.execute(task);
    }

    @Override
    public Cancellable after(Duration delay, Runnable task) {
        Future<?> timer = threads.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> timer.cancel(false);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}

package io.enipam.bench;

import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.time.Instant;

/** The system's clocks, and a scheduler for code that is never to schedule anything. */
final class NoOpScheduler implements TimeSource, Scheduler {
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
        throw new IllegalStateException("the benchmarked path schedules work: " + task);
    }

    @Override
    public Cancellable after(Duration delay, Runnable task) {
        throw new IllegalStateException("the benchmarked path waits " + delay + " for " + task);
    }
}

package io.enipam.daemon.campaign;

import io.enipam.platform.ExecutorScheduler;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** Clocks that run faster than the computer's, and timers to match: back-offs of a minute end within seconds. Thread-safe. */
final class HastyTime implements TimeSource, Scheduler, AutoCloseable {
    private final int haste;
    private final Instant begin = Instant.now();
    private final long beginNanos = System.nanoTime();
    private final ExecutorScheduler timers = new ExecutorScheduler();

    /** @param haste how many of its seconds pass in one of ours */
    HastyTime(int haste) {
        this.haste = haste;
    }

    @Override
    public Instant now() {
        return begin.plusNanos(nanoTime());
    }

    @Override
    public long nanoTime() {
        return (System.nanoTime() - beginNanos) * haste;
    }

    @Override
    public void execute(Runnable task) {
        timers.execute(task);
    }

    @Override
    public Cancellable after(Duration delay, Runnable task) {
        return timers.after(delay.dividedBy(haste), task);
    }

    /** Waits. */
    void pause(Duration duration) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(duration.dividedBy(haste).toNanos());
    }

    /** No timer fires any more. */
    @Override
    public void close() {
        timers.close();
    }
}

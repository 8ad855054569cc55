package io.enipam.aliyun;

import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Time that passes only when a test says so, and runs everything on the test's thread. */
public final class VirtualTime implements TimeSource, Scheduler {
    private record Task(long at, long number, Runnable task) {}

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::number));
    private long nanos;
    private long number;

    @Override
    public Instant now() {
        return Instant.EPOCH.plusNanos(nanos);
    }

    @Override
    public long nanoTime() {
        return nanos;
    }

    @Override
    public void execute(Runnable task) {
        after(Duration.ZERO, task);
    }

    @Override
    public Cancellable after(Duration delay, Runnable task) {
        Task planned = new Task(nanos + delay.toNanos(), ++number, task);
        tasks.add(planned);
        return () -> tasks.remove(planned);
    }

    /** Runs what is due now. */
    public void run() {
        advance(Duration.ZERO);
    }

    /** Lets time pass, running what becomes due at its own moment. */
    public void advance(Duration duration) {
        long end = nanos + duration.toNanos();
        while (!tasks.isEmpty() && tasks.peek().at <= end) {
            Task next = tasks.poll();
            nanos = Math.max(nanos, next.at);
            next.task.run();
        }
        nanos = end;
    }
}

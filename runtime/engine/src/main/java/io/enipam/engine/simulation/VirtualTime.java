package io.enipam.engine.simulation;

import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Time that passes when its owner says so, and the tasks that wait for it. Tasks run on the owner's thread, in the order of
 * their times; those due at the same time run in the order in which they came, or, with a random source, in any order.
 */
public final class VirtualTime implements TimeSource, Scheduler {
    private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

    private final Instant beginning;
    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private final RandomGenerator shuffle;
    private final boolean shuffled;
    private Duration jumped = Duration.ZERO;
    private long now;
    private long sequence;

    /** Tasks due at the same time run in the order in which they came. */
    public VirtualTime() {
        this(BEGINNING);
    }

    /** The same from another date on. */
    public VirtualTime(Instant beginning) {
        this(beginning, RandomGenerator.of("L64X128MixRandom"), false);
    }

    /** Tasks due at the same time run in an order drawn from the random source. */
    public VirtualTime(RandomGenerator shuffle) {
        this(BEGINNING, shuffle, true);
    }

    private VirtualTime(Instant beginning, RandomGenerator shuffle, boolean shuffled) {
        this.beginning = beginning;
        this.shuffle = shuffle;
        this.shuffled = shuffled;
    }

    @Override
    public synchronized Instant now() {
        return beginning.plusNanos(now).plus(jumped);
    }

    /** The clock is set, forward or back: the date changes, and no time passes. */
    public synchronized void setClock(Duration by) {
        jumped = jumped.plus(by);
    }

    @Override
    public synchronized long nanoTime() {
        return now;
    }

    @Override
    public void execute(Runnable task) {
        after(Duration.ZERO, task);
    }

    @Override
    public synchronized Cancellable after(Duration delay, Runnable task) {
        long tie = shuffled ? shuffle.nextLong() : sequence;
        Task added = new Task(now + Math.max(0, delay.toNanos()), tie, sequence++, task);
        tasks.add(added);
        return () -> remove(added);
    }

    private synchronized void remove(Task task) {
        tasks.remove(task);
    }

    /** Runs what is due now, and what that makes due now. */
    public void settle() {
        advance(Duration.ZERO);
    }

    /** Lets time pass, running what comes due at its own time. */
    public void advance(Duration duration) {
        long until = nanoTime() + duration.toNanos();
        for (Task task = next(until); task != null; task = next(until)) {
            task.work.run();
        }
        synchronized (this) {
            now = until;
        }
    }

    /** Runs the next task, at its own time, if it is due by that moment; says whether it did. */
    public boolean runNext(long until) {
        Task task = next(until);
        if (task != null) {
            task.work.run();
        }
        return task != null;
    }

    /** When the next task is due, by {@link #nanoTime()}; empty if none waits. */
    public synchronized OptionalLong nextDue() {
        Task task = tasks.peek();
        return task == null ? OptionalLong.empty() : OptionalLong.of(Math.max(now, task.at));
    }

    /** Forgets all tasks, as a crash does. */
    public synchronized void crash() {
        tasks.clear();
    }

    private synchronized @Nullable Task next(long until) {
        Task task = tasks.peek();
        if (task == null || task.at > until) {
            return null;
        }
        now = Math.max(now, task.at);
        return tasks.poll();
    }

    private record Task(long at, long tie, long sequence, Runnable work) implements Comparable<Task> {
        @Override
        public int compareTo(Task other) {
            int order = Long.compare(at, other.at);
            if (order == 0) {
                order = Long.compare(tie, other.tie);
            }
            return order != 0 ? order : Long.compare(sequence, other.sequence);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(sequence);
        }
    }
}

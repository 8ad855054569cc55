package io.enipam.diagnostics.doctor;

import io.enipam.engine.pool.PoolSummary;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Looks at the clock and the pool again and again, and remembers since when something is not as it should be.
 * Thread-safe.
 */
public final class ConditionTracker {
    /** How far the clock goes in one step before it is called a jump: NTP slews what is less. */
    static final Duration JUMP = Duration.ofSeconds(5);

    private static final int MOST_JUMPS = 16;

    private final TimeSource time;
    private final Supplier<PoolSummary> pool;
    private final BooleanSupplier drained;
    private final Deque<Observations.Jump> jumps = new ArrayDeque<>(); // by this
    // by the clock that does not jump: one that is set must not make a short queue an old one
    private Optional<Long> waitingSince = Optional.empty();
    private Optional<Long> belowSince = Optional.empty();
    private Reading last;

    /** @param drained whether an override makes the pool keep nothing idle */
    public ConditionTracker(TimeSource time, Supplier<PoolSummary> pool, BooleanSupplier drained) {
        this.time = time;
        this.pool = pool;
        this.drained = drained;
        this.last = read();
    }

    public void look() {
        PoolSummary seen = pool.get();
        boolean wanted = !drained.getAsBoolean();
        synchronized (this) {
            Reading now = read();
            clock(now);
            waitingSince = since(seen.waiting() > 0, waitingSince, now);
            boolean below = wanted && seen.count(ResourceState.IDLE) < Math.min(seen.minIdle(), seen.capacity());
            belowSince = since(below, belowSince, now);
        }
    }

    private static Optional<Long> since(boolean so, Optional<Long> before, Reading now) {
        return so ? before.or(() -> Optional.of(now.after)) : Optional.empty();
    }

    /** Both clocks; whatever kept this thread between the two is in the nanoseconds. */
    private record Reading(long before, Instant wall, long after) {}

    private Reading read() {
        long before = time.nanoTime();
        Instant wall = time.now();
        return new Reading(before, wall, time.nanoTime());
    }

    private synchronized void clock(Reading now) {
        Duration went = Duration.between(last.wall, now.wall);
        Duration least = Duration.ofNanos(now.before - last.after);
        Duration most = Duration.ofNanos(now.after - last.before);
        Duration by = went.compareTo(most) > 0 ? went.minus(most) : went.minus(least);
        if ((went.compareTo(least) < 0 || went.compareTo(most) > 0) && by.abs().compareTo(JUMP) >= 0) {
            if (jumps.size() == MOST_JUMPS) {
                jumps.removeFirst();
            }
            jumps.addLast(new Observations.Jump(now.wall, by));
        }
        last = now;
    }

    public synchronized Observations facts() {
        Reading now = read();
        return new Observations(
                List.copyOf(jumps),
                waitingSince.map(since -> date(since, now)),
                belowSince.map(since -> date(since, now)));
    }

    /** When that was, by the clock as it is set now. */
    private static Instant date(long nanos, Reading now) {
        return now.wall.minusNanos(now.after - nanos);
    }

    /**
     * Conditions that are visible only over time.
     *
     * @param jumps of the clock, the latest last
     * @param waitingSince since when at each look a caller waited for an address; empty if at the last none did
     * @param belowSince since when at each look fewer were idle than the lower watermark wants, the pool not
     *     being drained
     */
    public record Observations(List<Jump> jumps, Optional<Instant> waitingSince, Optional<Instant> belowSince) {
        /**
         * The clock was set, or the machine slept.
         *
         * @param by how far it went ahead, beside the time that passed; negative: back
         */
        public record Jump(Instant at, Duration by) {}
    }
}

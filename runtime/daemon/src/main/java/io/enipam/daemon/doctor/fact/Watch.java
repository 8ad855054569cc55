package io.enipam.daemon.doctor.fact;

import io.enipam.daemon.doctor.fact.WatchFacts.Jump;
import io.enipam.engine.pool.PoolView;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks at the clock and the pool again and again, and remembers since when something is not as it should be. Thread-safe. */
public final class Watch {
    /** How far the clock goes in one step before it is called a jump: NTP slews what is less. */
    static final Duration JUMP = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(Watch.class);
    private static final int MOST_JUMPS = 16;

    private final TimeSource time;
    private final Supplier<PoolView> pool;
    private final BooleanSupplier drained;
    private final Deque<Jump> jumps = new ArrayDeque<>(); // by this
    private Optional<Instant> waitingSince = Optional.empty();
    private Optional<Instant> belowSince = Optional.empty();
    private Instant lastWall;
    private long lastNanos;

    /** @param drained whether the pool was told to keep nothing in stock */
    public Watch(TimeSource time, Supplier<PoolView> pool, BooleanSupplier drained) {
        this.time = time;
        this.pool = pool;
        this.drained = drained;
        this.lastWall = time.now();
        this.lastNanos = time.nanoTime();
    }

    /** Looks, for a timer that ends at the first exception: what goes wrong is in the log. */
    public void lookOrSay() {
        try {
            look();
        } catch (RuntimeException e) {
            LOG.error("the pool could not be looked at", e);
        }
    }

    /** Looks; takes no longer than a walk over the pool. */
    public void look() {
        PoolView seen = pool.get();
        boolean wanted = !drained.getAsBoolean();
        synchronized (this) {
            Instant now = time.now();
            clock(now);
            waitingSince = seen.waiting() > 0 ? waitingSince.or(() -> Optional.of(now)) : Optional.empty();
            boolean below = wanted && seen.count(ResourceState.IDLE) < Math.min(seen.minIdle(), seen.capacity());
            belowSince = below ? belowSince.or(() -> Optional.of(now)) : Optional.empty();
        }
    }

    private synchronized void clock(Instant now) {
        long nanos = time.nanoTime();
        Duration passed = Duration.ofNanos(nanos - lastNanos);
        Duration by = Duration.between(lastWall, now).minus(passed);
        if (by.abs().compareTo(JUMP) >= 0) {
            if (jumps.size() == MOST_JUMPS) {
                jumps.removeFirst();
            }
            jumps.addLast(new Jump(now, by));
        }
        lastWall = now;
        lastNanos = nanos;
    }

    public synchronized WatchFacts facts() {
        return new WatchFacts(List.copyOf(jumps), waitingSince, belowSince);
    }
}

package io.enipam.sdk.testkit;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that a test moves. Thread-safe. */
public final class TestClock extends Clock {
    private final Clock base;
    private final ZoneId zone;
    private final AtomicReference<Duration> moved;

    private TestClock(Clock base, ZoneId zone, AtomicReference<Duration> moved) {
        this.base = base;
        this.zone = zone;
        this.moved = moved;
    }

    /** A clock that stands still until it is moved. */
    public static TestClock at(Instant start) {
        return new TestClock(Clock.fixed(start, ZoneOffset.UTC), ZoneOffset.UTC, new AtomicReference<>(Duration.ZERO));
    }

    /** A clock that runs like the system's, and can be moved besides. */
    public static TestClock running() {
        return new TestClock(Clock.systemUTC(), ZoneOffset.UTC, new AtomicReference<>(Duration.ZERO));
    }

    /** Moves the clock, back if the duration is negative. */
    public void move(Duration by) {
        moved.updateAndGet(by::plus);
    }

    @Override
    public Instant instant() {
        return base.instant().plus(moved.get());
    }

    @Override
    public ZoneId getZone() {
        return zone;
    }

    /** The same clock in another zone: moving one moves the other. */
    @Override
    public TestClock withZone(ZoneId zone) {
        return new TestClock(base, zone, moved);
    }
}

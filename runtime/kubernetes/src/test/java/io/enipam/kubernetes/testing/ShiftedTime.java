package io.enipam.kubernetes.testing;

import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** The system's time, and what a test lets pass besides, as in a process that is paused. */
public final class ShiftedTime implements TimeSource {
    private final AtomicLong shift = new AtomicLong();

    public void pass(Duration time) {
        shift.addAndGet(time.toNanos());
    }

    @Override
    public Instant now() {
        return Instant.now().plusNanos(shift.get());
    }

    @Override
    public long nanoTime() {
        return System.nanoTime() + shift.get();
    }
}

package io.enipam.aliyun.client;

import io.enipam.engine.port.TimeSource;
import java.time.Duration;

/** When a call has to be over, whatever it waits for. Thread-safe. */
final class Deadline {
    private final TimeSource time;
    private final long atNanos;

    private Deadline(TimeSource time, long atNanos) {
        this.time = time;
        this.atNanos = atNanos;
    }

    static Deadline in(Duration duration, TimeSource time) {
        return new Deadline(time, time.nanoTime() + duration.toNanos());
    }

    /** The time that is left, zero at least. */
    Duration left() {
        return Duration.ofNanos(Math.max(0, atNanos - time.nanoTime()));
    }

    /** Whether there is less left than this. */
    boolean nearerThan(Duration duration) {
        return left().compareTo(duration) <= 0;
    }
}

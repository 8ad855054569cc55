package io.enipam.aliyun.eni;

import io.enipam.engine.port.TimeSource;
import java.time.Duration;

/** Creates that must not be tried for a while. Touched in a turn alone. */
final class CreateInhibition {
    private final TimeSource time;
    private long untilNanos;
    private boolean inForce;

    CreateInhibition(TimeSource time) {
        this.time = time;
    }

    void begin(Duration duration) {
        inForce = true;
        untilNanos = time.nanoTime() + duration.toNanos();
    }

    /** How long it lasts; zero if there is none. */
    Duration left() {
        long left = inForce ? untilNanos - time.nanoTime() : 0;
        inForce = left > 0;
        return Duration.ofNanos(Math.max(0, left));
    }
}

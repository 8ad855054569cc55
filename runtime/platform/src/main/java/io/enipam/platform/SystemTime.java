package io.enipam.platform;

import io.enipam.engine.port.TimeSource;
import java.time.Instant;

/** The computer's clocks. */
public final class SystemTime implements TimeSource {
    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }
}

package io.enipam.engine.port;

import java.time.Instant;

/** The engine's two clocks. Thread-safe. */
public interface TimeSource {
    /** The date, for display and for what outlives a restart. May jump. */
    Instant now();

    /** Nanoseconds from an arbitrary origin, for measuring waits. Never goes back. */
    long nanoTime();
}

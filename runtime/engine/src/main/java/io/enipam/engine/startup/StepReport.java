package io.enipam.engine.startup;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How one step of the start-up fares.
 *
 * @param since when it began; empty if it has not
 * @param took how long it took, or has taken so far
 * @param detail what it waits for, or what came of it; may be empty text
 */
public record StepReport(StartupStep step, State state, Optional<Instant> since, Duration took, String detail) {
    /** Where a step stands. */
    public enum State {
        /** Its turn has not come. */
        WAITING,
        /** Under way. */
        RUNNING,
        /** Over. */
        DONE,
        /** It will never end by itself: somebody has to mend something, and start the daemon anew. */
        HALTED
    }
}

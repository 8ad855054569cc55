package io.enipam.shell.runbook;

import java.time.Duration;
import java.time.Instant;

/** The time that a runbook waits by. */
public interface RunClock {
    /** Nanoseconds since some moment, as {@link System#nanoTime}. */
    long nanos();

    /** What the clock on the wall says. */
    Instant now();

    /**
     * Waits.
     *
     * @return whether the run may go on, since nobody has interrupted it
     */
    boolean pause(Duration span);
}

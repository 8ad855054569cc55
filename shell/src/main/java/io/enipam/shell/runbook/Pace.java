package io.enipam.shell.runbook;

import java.time.Duration;

/** The time that a runbook waits by. */
public interface Pace {
    /** Nanoseconds since some moment, as {@link System#nanoTime}. */
    long nanos();

    /**
     * Waits.
     *
     * @return whether the run may go on, since nobody has interrupted it
     */
    boolean pause(Duration span);
}

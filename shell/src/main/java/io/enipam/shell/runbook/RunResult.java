package io.enipam.shell.runbook;

import io.enipam.shell.attach.ExitStatus;
import java.time.Duration;
import java.util.Optional;

/**
 * What came of a run.
 *
 * @param steps how many steps ran, each as often as it did
 * @param changed how many of them change the daemon
 * @param stopped where and why it stopped; empty if it went through
 * @param alsoFailed where and why what {@code on-error} does failed, too
 */
public record RunResult(
        long steps, long changed, Duration took, Optional<Stopped> stopped, Optional<Stopped> alsoFailed) {
    /** A step that failed. */
    public record Stopped(SourcePosition place, StepFailure failure) {
        /** {@code FILE:LINE: WHY}. */
        @Override
        public String toString() {
            return place.ofLine() + ": " + failure.why();
        }
    }

    /** What the program returns. */
    public ExitStatus exit() {
        return stopped.map(there -> there.failure().exit()).orElse(ExitStatus.DONE);
    }

    /** Where and why it stopped, in one line. */
    public String line() {
        return stopped.map(Stopped::toString).orElse("")
                + alsoFailed.map(there -> "; on-error failed too: " + there).orElse("");
    }
}

package io.enipam.shell.runbook;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.runbook.Runbook.SourcePosition;
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

    /**
     * Why a step does not hold.
     *
     * @param exit what the program returns
     * @param why in one line, without a full stop
     * @param expected what should have been; empty if a command failed
     * @param seen the value that there was instead, without a verb; empty if a command failed
     */
    public record StepFailure(ExitStatus exit, String why, String expected, String seen) {
        static StepFailure of(ExitStatus exit, String why) {
            return new StepFailure(exit, why, "", "");
        }

        static StepFailure unexpected(String expected, ActualValue seen) {
            return new StepFailure(
                    ExitStatus.UNEXPECTED, "expected " + expected + ", and " + seen, expected, seen.value());
        }

        StepFailure with(String more) {
            return new StepFailure(exit, why + more, expected, seen);
        }
    }

    /**
     * What there was in place of what was expected.
     *
     * @param verb how a sentence tells it, up to the value: {@code "saw "}; empty if the value is told by itself
     * @param value for a program: the value alone
     */
    record ActualValue(String verb, String value) {
        static final ActualValue NOTHING = new ActualValue("saw ", "nothing");
        static final ActualValue NULL = new ActualValue("saw ", "null");

        /** What a sentence of its own tells. */
        static ActualValue told(String sentence) {
            return new ActualValue("", sentence);
        }

        static ActualValue saw(String value) {
            return new ActualValue("saw ", value);
        }

        /** The end of a sentence. */
        @Override
        public String toString() {
            return verb + value;
        }
    }
}

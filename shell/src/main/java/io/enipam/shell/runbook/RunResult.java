package io.enipam.shell.runbook;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.runbook.Runbook.SourcePosition;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** How many steps ran, each as often as it did, how many changed the daemon, and where it and on-error stopped. */
public record RunResult(
        long steps, long changed, Duration took, Optional<Stopped> stopped, Optional<Stopped> alsoFailed) {
    public record Stopped(SourcePosition place, StepFailure failure) {
        /** {@code FILE:LINE: WHY}. */
        @Override
        public String toString() {
            return place.ofLine() + ": " + failure.why();
        }
    }

    public ExitStatus exit() {
        return stopped.map(there -> there.failure().exit()).orElse(ExitStatus.DONE);
    }

    /** Where and why it stopped, in one line. */
    public String line() {
        return stopped.map(Stopped::toString).orElse("")
                + alsoFailed.map(there -> "; on-error failed too: " + there).orElse("");
    }

    /** Why a step does not hold, in one line; what was expected and seen instead is empty if a command failed. */
    public record StepFailure(ExitStatus exit, String why, String expected, String seen) {
        static StepFailure of(ExitStatus exit, String why) {
            return new StepFailure(exit, why, "", "");
        }

        static StepFailure unexpected(String expected, ActualValue seen) {
            String why = "expected " + expected + ", and " + seen.verb() + seen.value();
            return new StepFailure(ExitStatus.UNEXPECTED, why, expected, seen.value());
        }

        StepFailure with(String more) {
            return new StepFailure(exit, why + more, expected, seen);
        }

        StepFailure redacted(UnaryOperator<String> hiding) {
            return new StepFailure(exit, hiding.apply(why), hiding.apply(expected), hiding.apply(seen));
        }
    }

    /** What there was in place of what was expected: the value, and how a sentence introduces it ({@code "saw "}). */
    record ActualValue(String verb, String value) {
        static final ActualValue NOTHING = new ActualValue("saw ", "nothing");
        static final ActualValue NULL = new ActualValue("saw ", "null");

        /** Reported by a sentence of its own. */
        static ActualValue told(String sentence) {
            return new ActualValue("", sentence);
        }

        static ActualValue saw(String value) {
            return new ActualValue("saw ", value);
        }
    }
}

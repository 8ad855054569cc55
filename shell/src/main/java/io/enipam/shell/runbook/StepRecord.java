package io.enipam.shell.runbook;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.runbook.RunResult.StepFailure;
import io.enipam.shell.runbook.Runbook.Planned;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** A step that ran, without secrets, with the result of its last try; its kind is the one of reports. */
public record StepRecord(Planned step, String kind, Instant began, Duration took, StepResult result) {
    private static final int END_SHARE = 4;

    /** What came of a step; YES and NO say whether the condition of an {@code if} holds. */
    public enum State {
        PASSED,
        FAILED,
        YES,
        NO
    }

    /** What came of a step, or of a try of it; only {@code retry} tries more than once. */
    public record StepResult(State state, String output, Optional<StepFailure> failure, int tries) {
        static StepResult passed(String output) {
            return new StepResult(State.PASSED, output, Optional.empty(), 1);
        }

        static StepResult failed(ShellException why) {
            return failed("", StepFailure.of(why.exit(), why.sentence()));
        }

        static StepResult failed(String output, StepFailure failure) {
            return new StepResult(State.FAILED, output, Optional.of(failure), 1);
        }

        StepResult redacted(UnaryOperator<String> hiding) {
            return new StepResult(state, hiding.apply(output), failure.map(why -> why.redacted(hiding)), tries);
        }
    }

    /** The same with at most so many characters of its text and of its output, and a note on what is left out. */
    StepRecord bounded(int ofText, int ofOutput) {
        String text = step.text();
        String shortened = text.length() <= ofText ? text : text.substring(0, ofText - 1) + "\u2026";
        Planned planned = new Planned(step.place(), step.depth(), step.changes(), shortened);
        String output = excerpt(result.output(), ofOutput);
        StepResult kept = new StepResult(result.state(), output, result.failure(), result.tries());
        return new StepRecord(planned, kind, began, took, kept);
    }

    /** The beginning and the end of a text that is too long, between them a line that says how much is left out. */
    private static String excerpt(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        int tail = most / END_SHARE;
        int begin = whole(text, most - tail);
        int end = whole(text, text.length() - tail);
        String left = String.format(Locale.ROOT, "[%,d of %,d characters left out]", end - begin, text.length());
        return (begin == 0 ? "" : text.substring(0, begin) + "\n") + left + "\n" + text.substring(end);
    }

    /** The same place, or the one before it, if a character would be cut in two. */
    private static int whole(String text, int at) {
        boolean cut = at > 0 && at < text.length() && Character.isLowSurrogate(text.charAt(at));
        return cut ? at - 1 : at;
    }
}

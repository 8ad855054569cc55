package io.enipam.shell.runbook;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.runbook.RunResult.StepFailure;
import io.enipam.shell.runbook.Runbook.SourcePosition;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * A step that ran. No secret is in any of it.
 *
 * @param depth in how many blocks and files it stands
 * @param kind its first word, or {@code run} and {@code refused} for commands
 * @param text with values
 * @param changes whether it changes the daemon
 * @param state what came of it
 * @param tries how often it was tried; more than once only by {@code retry}
 * @param output what it printed, of the last try
 * @param failure why it failed, if it did
 */
public record StepRecord(
        SourcePosition place,
        int depth,
        String kind,
        String text,
        boolean changes,
        State state,
        int tries,
        Instant began,
        Duration took,
        String output,
        Optional<StepFailure> failure) {
    /** What came of a step. */
    public enum State {
        PASSED,
        FAILED,
        /** The condition of an {@code if} holds. */
        YES,
        /** It does not. */
        NO
    }

    /** The same with at most so many characters of its text and of its output, and a word on what is left out. */
    StepRecord bounded(int ofText, int ofOutput) {
        String shortened = text.length() <= ofText ? text : text.substring(0, ofText - 1) + "\u2026";
        return new StepRecord(
                place,
                depth,
                kind,
                shortened,
                changes,
                state,
                tries,
                began,
                took,
                Excerpt.of(output, ofOutput),
                failure);
    }

    /** What came of a step, or of a try of it. */
    record StepResult(State state, String output, Optional<StepFailure> failure, int tries) {
        static StepResult passed(String output) {
            return new StepResult(State.PASSED, output, Optional.empty(), 1);
        }

        /** The shell could not even try. */
        static StepResult failed(ShellException why) {
            return failed("", StepFailure.of(why.exit(), why.sentence()));
        }

        static StepResult failed(String output, StepFailure failure) {
            return new StepResult(State.FAILED, output, Optional.of(failure), 1);
        }
    }

    /** The beginning and the end of a long text, with a line between them that says how much is left out. */
    private static final class Excerpt {
        private static final int END_SHARE = 4;

        private Excerpt() {}

        /**
         * @param most characters that are kept; a text that is not longer is kept as it is
         */
        static String of(String text, int most) {
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
}

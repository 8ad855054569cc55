package io.enipam.shell.runbook;

import java.time.Duration;
import java.time.Instant;
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
}

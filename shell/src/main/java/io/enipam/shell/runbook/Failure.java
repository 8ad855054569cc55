package io.enipam.shell.runbook;

import io.enipam.shell.attach.Exit;

/**
 * Why a step does not hold.
 *
 * @param exit what the program returns
 * @param why in one line, without a full stop
 * @param expected what should have been; empty if a command failed
 * @param seen the value that there was instead, without a verb; empty if a command failed
 */
public record Failure(Exit exit, String why, String expected, String seen) {
    static Failure of(Exit exit, String why) {
        return new Failure(exit, why, "", "");
    }

    static Failure unexpected(String expected, Seen seen) {
        return new Failure(Exit.UNEXPECTED, "expected " + expected + ", and " + seen, expected, seen.value());
    }

    Failure with(String more) {
        return new Failure(exit, why + more, expected, seen);
    }
}

package io.enipam.shell.runbook;

import io.enipam.shell.attach.ExitStatus;

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
        return new StepFailure(ExitStatus.UNEXPECTED, "expected " + expected + ", and " + seen, expected, seen.value());
    }

    StepFailure with(String more) {
        return new StepFailure(exit, why + more, expected, seen);
    }
}

package io.enipam.shell.runbook;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.runbook.StepRecord.State;
import java.util.Optional;

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

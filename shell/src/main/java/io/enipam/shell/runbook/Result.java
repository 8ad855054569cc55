package io.enipam.shell.runbook;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.runbook.Ran.State;
import java.util.Optional;

/** What came of a step, or of a try of it. */
record Result(State state, String output, Optional<Failure> failure, int tries) {
    static Result passed(String output) {
        return new Result(State.PASSED, output, Optional.empty(), 1);
    }

    /** The shell could not even try. */
    static Result failed(ShellException why) {
        return failed("", Failure.of(why.exit(), why.sentence()));
    }

    static Result failed(String output, Failure failure) {
        return new Result(State.FAILED, output, Optional.of(failure), 1);
    }
}

package io.enipam.shell.runbook;

import org.jspecify.annotations.Nullable;

/** Ends a run at a step that failed. */
final class RunAbortedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient RunResult.Stopped where;
    private transient RunResult.@Nullable Stopped alsoFailed;

    RunAbortedException(SourcePosition place, StepFailure failure) {
        super(failure.why(), null, false, false);
        this.where = new RunResult.Stopped(place, failure);
    }

    RunResult.Stopped where() {
        return where;
    }

    RunResult.@Nullable Stopped alsoFailed() {
        return alsoFailed;
    }

    /** Something that was to be done about it failed, too; the first such failure stays. */
    void also(RunResult.Stopped other) {
        if (alsoFailed == null) {
            alsoFailed = other;
        }
    }
}

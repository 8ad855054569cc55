package io.enipam.shell.runbook;

import org.jspecify.annotations.Nullable;

/** Ends a run at a step that failed. */
final class Stop extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Verdict.Stopped where;
    private transient Verdict.@Nullable Stopped alsoFailed;

    Stop(Place place, Failure failure) {
        super(failure.why(), null, false, false);
        this.where = new Verdict.Stopped(place, failure);
    }

    Verdict.Stopped where() {
        return where;
    }

    Verdict.@Nullable Stopped alsoFailed() {
        return alsoFailed;
    }

    /** Something that was to be done about it failed, too; the first such failure stays. */
    void also(Verdict.Stopped other) {
        if (alsoFailed == null) {
            alsoFailed = other;
        }
    }
}

package io.enipam.shell.attach;

/** Whose no a failure is. Several have the exit status 1, and not all of them are an answer. */
public enum FailureOrigin {
    /** The daemon's: it was asked, and refused. */
    DAEMON,
    /** What a whole answer amounts to: a check that found something. */
    VERDICT,
    /** Nobody's: the daemon did not answer in time, and what it did is not known. */
    SILENCE,
    /** The shell's own: a file, a filter or a mistake in the line. */
    HERE;

    /** Whether it is an answer to what was asked. */
    public boolean isAnswer() {
        return this == DAEMON || this == VERDICT;
    }
}

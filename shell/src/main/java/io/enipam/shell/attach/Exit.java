package io.enipam.shell.attach;

/** What the program returns to the one who started it. The numbers are part of the shell's contract. */
public enum Exit {
    DONE(0),
    /** The daemon, or the sandbox, said no. */
    REFUSED(1),
    /** The command line is not one. */
    USAGE(2),
    /** There is no daemon to attach to, or it went away. */
    NOT_ATTACHED(3),
    /** Ctrl-C; 128 plus the signal's number. */
    INTERRUPTED(130);

    private final int status;

    Exit(int status) {
        this.status = status;
    }

    public int status() {
        return status;
    }
}

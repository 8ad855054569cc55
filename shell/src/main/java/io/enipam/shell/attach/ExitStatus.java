package io.enipam.shell.attach;

import java.util.stream.Stream;

/** The program's exit status. The numbers are part of the shell's contract. */
public enum ExitStatus {
    DONE(0),
    /** The daemon, or the sandbox, said no. */
    REFUSED(1),
    /** The command line is not one. */
    USAGE(2),
    /** There is no daemon to attach to, or it went away. */
    NOT_ATTACHED(3),
    /** A runbook found something else than it expects. */
    UNEXPECTED(4),
    /** Ctrl-C; 128 plus the signal's number. */
    INTERRUPTED(130);

    private final int status;

    ExitStatus(int status) {
        this.status = status;
    }

    public static ExitStatus of(int status) {
        return Stream.of(values())
                .filter(exit -> exit.status == status)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no exit has the status " + status));
    }

    public int status() {
        return status;
    }
}

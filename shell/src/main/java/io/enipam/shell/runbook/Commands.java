package io.enipam.shell.runbook;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.pipe.Pipeline;
import java.util.List;

/** The commands that a runbook is made of. */
public interface Commands {
    /**
     * What came of one.
     *
     * @param status its exit status
     * @param output what it printed
     * @param error why it failed, in one line; empty if it did not
     * @param here whether it failed on the shell's own side, in a file or a filter, whatever the daemon said
     */
    record Outcome(int status, String output, String error, boolean here) {
        /** One that, if it failed, failed at the daemon. */
        public Outcome(int status, String output, String error) {
            this(status, output, error, false);
        }
    }

    /**
     * What the grammar says of one.
     *
     * @param changes whether it changes the daemon
     * @param control whether only those who may control are answered; a dry run may be such
     * @param nameWords how many of its words are its name: 2 for {@code pool show}
     */
    record Known(boolean changes, boolean control, int nameWords) {}

    /**
     * Holds a command against the grammar; nothing runs.
     *
     * @throws ShellException (usage) if it is no command, or none for a runbook
     */
    Known known(List<String> words);

    /** Runs a command with its filters. */
    Outcome run(Pipeline pipeline);

    /** Asks whether to go on; true if it was said beforehand. */
    boolean agreed(String question);
}

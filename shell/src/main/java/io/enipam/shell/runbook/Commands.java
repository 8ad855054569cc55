package io.enipam.shell.runbook;

import io.enipam.shell.attach.ShellException;
import java.util.List;

/** The commands that a runbook is made of. */
public interface Commands {
    /**
     * What came of one.
     *
     * @param status its exit status
     * @param output what it printed
     * @param error why it failed, in one line; empty if it did not
     */
    record Outcome(int status, String output, String error) {}

    /**
     * Holds a command against the grammar; nothing runs.
     *
     * @return whether it changes the daemon
     * @throws ShellException (usage) if it is no command, or none for a runbook
     */
    boolean changes(List<String> words);

    Outcome run(List<String> words);
}

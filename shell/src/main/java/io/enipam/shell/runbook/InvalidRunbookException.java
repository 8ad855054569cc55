package io.enipam.shell.runbook;

import java.util.List;

/** All that is wrong with a runbook. */
public final class InvalidRunbookException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    InvalidRunbookException(String file, List<String> problems) {
        super(file + " has " + problems.size() + (problems.size() == 1 ? " problem" : " problems"));
        this.problems = List.copyOf(problems);
    }

    /** One line for each, {@code FILE:LINE:COLUMN: WHAT. HINT}. */
    public List<String> problems() {
        return problems;
    }
}

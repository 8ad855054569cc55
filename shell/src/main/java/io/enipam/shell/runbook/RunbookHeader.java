package io.enipam.shell.runbook;

import java.util.List;
import java.util.Optional;

/**
 * What a runbook says of itself before its first step.
 *
 * @param name empty if there is no header
 * @param description empty if there is none
 * @param needs what permission it says it needs; empty if it leaves that to its steps
 * @param declared whether there is a header, so that its parameters are all that may be given
 */
public record RunbookHeader(
        String name, String description, Optional<Needs> needs, List<RunbookParameter> parameters, boolean declared) {
    /** What a caller has to be allowed. */
    public enum Needs {
        /** To look. */
        INSPECT,
        /** To change things. */
        CONTROL;

        @Override
        public String toString() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    static final RunbookHeader NONE = new RunbookHeader("", "", Optional.empty(), List.of(), false);

    public RunbookHeader {
        parameters = List.copyOf(parameters);
    }
}

package io.enipam.shell.runbook;

import java.util.Optional;

/**
 * A value that a runbook is given.
 *
 * @param fallback its value if none is given; empty if it has to be given
 * @param secret whether its value is printed nowhere
 * @param doc what it is for, for people
 */
public record RunbookParameter(
        SourcePosition place, String name, ParameterType type, Optional<String> fallback, boolean secret, String doc) {
    /** Whether it has to be given. */
    public boolean required() {
        return fallback.isEmpty();
    }
}

package io.enipam.config;

import java.util.List;
import java.util.stream.Collectors;

/** The configuration is invalid. Carries every problem found, not only the first. */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<ConfigProblem> problems;

    /** @param problems at least one */
    public ConfigException(List<ConfigProblem> problems) {
        super(problems.stream().map(ConfigProblem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    /** At least one. */
    public List<ConfigProblem> problems() {
        return problems;
    }

    /** @param message the key, the value and what is allowed, in one line */
    public record ConfigProblem(String source, String message) {
        @Override
        public String toString() {
            return source + ": " + message;
        }
    }
}

package io.enipam.config;

/**
 * One thing that is wrong with the configuration.
 *
 * @param source the file, or what else it comes from
 * @param message the key, the value and what is allowed, in one line
 */
public record ConfigProblem(String source, String message) {
    @Override
    public String toString() {
        return source + ": " + message;
    }
}

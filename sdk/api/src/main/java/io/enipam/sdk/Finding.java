package io.enipam.sdk;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Something that a {@link Check} found. Immutable and thread-safe.
 *
 * @param subject what it is about: an address, a range, a pod, a file
 * @param why what was seen of it, and why that matters, in one line
 * @param fix what an operator does about it, as a command where there is one; empty if there is nothing to do
 * @param repair what {@code doctor --repair} runs; empty if nothing repairs it safely
 */
public record Finding(Severity severity, String subject, String why, String fix, Optional<Repair> repair) {
    /** How bad it is. */
    public enum Severity {
        /** Good to know; nothing has to be done. */
        INFO,
        /** It works, but not for long, or not for all: look at it today. */
        WARN,
        /** It does not work, or is about to stop: look at it now. */
        CRITICAL
    }

    /**
     * A command of the same part, of impact CHANGE or DESTROY, that may be run again without harm.
     *
     * @param path the command's
     * @param arguments texts of its parameters, by name; of a list, with commas between the values
     */
    public record Repair(List<String> path, Map<String, String> arguments) {
        public Repair {
            path = List.copyOf(path);
            arguments = Map.copyOf(arguments);
        }
    }

    /** A finding that nothing repairs by itself. */
    public Finding(Severity severity, String subject, String why, String fix) {
        this(severity, subject, why, fix, Optional.empty());
    }

    /** The same, which this command repairs. */
    public Finding repairedBy(List<String> path, Map<String, String> arguments) {
        return new Finding(severity, subject, why, fix, Optional.of(new Repair(path, arguments)));
    }
}

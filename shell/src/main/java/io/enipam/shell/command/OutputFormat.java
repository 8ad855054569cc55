package io.enipam.shell.command;

import java.util.Locale;

/** How an answer is printed. */
public enum OutputFormat {
    /** For people. */
    TABLE,
    /** For programs: the protobuf JSON of the reply. */
    JSON;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

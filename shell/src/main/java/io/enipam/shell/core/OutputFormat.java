package io.enipam.shell.core;

import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

public enum OutputFormat {
    TABLE,
    /** The same with every column, and never cut off. */
    WIDE,
    /** Every column of a list as a line of its own, for what is too wide for the terminal. */
    VERTICAL,
    /** Every column of a list as RFC 4180 has it; what is no list has none. */
    CSV,
    /** For programs: the protobuf JSON of the reply. */
    JSON,
    /** The same fields as YAML. */
    YAML,
    /** For the next command: one identifier a line. */
    NAME;

    /** Whether it is for programs, and has all fields. */
    public boolean structured() {
        return this == JSON || this == YAML;
    }

    /** Whether it is for people, and lists are tables or blocks of lines. */
    public boolean text() {
        return this == TABLE || this == WIDE || this == VERTICAL;
    }

    /** Whether it has the columns that are shown only if asked for. */
    public boolean everyColumn() {
        return this == WIDE || this == VERTICAL || this == CSV;
    }

    public static final class Reader implements ITypeConverter<OutputFormat> {
        @Override
        public OutputFormat convert(String value) {
            return Stream.of(values())
                    .filter(format -> format.toString().equalsIgnoreCase(value))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException(
                            "'" + value + "' is not table, wide, vertical, csv, json, yaml or name"));
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

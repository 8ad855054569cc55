package io.enipam.shell.core;

import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

public enum OutputFormat {
    TABLE,
    /** The same with every column, and never cut off. */
    WIDE,
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

    public static final class Reader implements ITypeConverter<OutputFormat> {
        @Override
        public OutputFormat convert(String value) {
            return Stream.of(values())
                    .filter(format -> format.toString().equalsIgnoreCase(value))
                    .findFirst()
                    .orElseThrow(() ->
                            new TypeConversionException("'" + value + "' is not table, wide, json, yaml or name"));
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

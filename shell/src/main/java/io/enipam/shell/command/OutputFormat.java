package io.enipam.shell.command;

import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How an answer is printed. */
public enum OutputFormat {
    /** For people. */
    TABLE,
    /** For programs: the protobuf JSON of the reply. */
    JSON;

    /** Reads the name in any case. */
    public static final class Reader implements ITypeConverter<OutputFormat> {
        @Override
        public OutputFormat convert(String value) {
            return Stream.of(values())
                    .filter(format -> format.toString().equalsIgnoreCase(value))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException("'" + value + "' is not table or json"));
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

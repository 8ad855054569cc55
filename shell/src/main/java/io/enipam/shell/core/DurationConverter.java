package io.enipam.shell.core;

import io.enipam.shell.attach.ShellException;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a span of time for an option. */
public class DurationConverter implements ITypeConverter<Duration> {
    private final Duration shortest;

    public DurationConverter() {
        this(DurationParser.SHORTEST);
    }

    public DurationConverter(Duration shortest) {
        this.shortest = shortest;
    }

    @Override
    public Duration convert(String value) {
        try {
            return DurationParser.parse(value, shortest);
        } catch (ShellException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}

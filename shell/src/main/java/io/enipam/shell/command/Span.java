package io.enipam.shell.command;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.text.Spans;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a span of time for an option. */
public class Span implements ITypeConverter<Duration> {
    private final Duration shortest;

    public Span() {
        this(Spans.SHORTEST);
    }

    Span(Duration shortest) {
        this.shortest = shortest;
    }

    @Override
    public Duration convert(String value) {
        try {
            return Spans.parse(value, shortest);
        } catch (ShellException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}

package io.enipam.shell.command;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a span of time as people write it: {@code 500ms}, {@code 10s}, {@code 2m}, {@code 1h}; at most a day. */
final class Span implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,8})(ms|s|m|h)");

    @Override
    public Duration convert(String value) {
        Matcher matcher = FORM.matcher(value);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + value + "' is not a time such as 500ms, 10s or 2m");
        }
        long number = Long.parseLong(matcher.group(1));
        Duration span = switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
        };
        if (span.isZero() || span.compareTo(Duration.ofDays(1)) > 0) {
            throw new TypeConversionException("'" + value + "' is not between 1ms and 24h");
        }
        return span;
    }
}

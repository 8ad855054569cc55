package io.enipam.shell.core;

import static io.enipam.shell.attach.ShellException.usage;

import io.enipam.shell.attach.ShellException;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations in short form: {@code 500ms}, {@code 10s}, {@code 2m}, {@code 1h}, {@code 30d}; at most a day unless said otherwise. */
public final class DurationParser {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,8})(ms|s|m|h|d)");

    private static final Duration DAY = Duration.ofDays(1);

    public static final Duration SHORTEST = Duration.ofMillis(1);

    private DurationParser() {}

    /** Reads a span; throws a usage error unless it is one from 1 ms to a day. */
    public static Duration parse(String text) {
        return parse(text, SHORTEST);
    }

    /** The same from the shortest, whole seconds or {@link #SHORTEST}, to a day. */
    public static Duration parse(String text, Duration shortest) {
        return parse(text, shortest, DAY);
    }

    /** The same from the shortest to the longest, which is a whole number of days. */
    public static Duration parse(String text, Duration shortest, Duration longest) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw usage("'" + text + "' is not a time such as 500ms, 10s or 2m", "");
        }
        long number = Long.parseLong(matcher.group(1));
        Duration span = switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
        if (span.compareTo(shortest) < 0 || span.compareTo(longest) > 0) {
            String least = shortest.toMillis() % 1000 == 0 ? shortest.toSeconds() + "s" : shortest.toMillis() + "ms";
            throw usage(
                    "'" + text + "' is not between " + least + " and "
                            + (longest.equals(DAY) ? "24h" : longest.toDays() + "d"),
                    "");
        }
        return span;
    }

    public static class DurationConverter implements ITypeConverter<Duration> {
        private final Duration shortest;
        private final Duration longest;

        public DurationConverter() {
            this(DurationParser.SHORTEST);
        }

        public DurationConverter(Duration shortest) {
            this(shortest, DAY);
        }

        protected DurationConverter(Duration shortest, Duration longest) {
            this.shortest = shortest;
            this.longest = longest;
        }

        @Override
        public Duration convert(String value) {
            try {
                return DurationParser.parse(value, shortest, longest);
            } catch (ShellException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }
}

package io.enipam.emulator.cloud;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times in short form: {@code 0}, {@code 250ms}, {@code 2s}, {@code 5m}, {@code 3h}, with a minus if need be. */
public final class DurationFormat {
    private static final Pattern TIME = Pattern.compile("(-?)(?:0|([0-9]{1,9})(ms|s|m|h))");

    private DurationFormat() {}

    /** Reads one. Throws IllegalArgumentException if it is none. */
    public static Duration parse(String text) {
        Matcher time = TIME.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!time.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no time: give a number with ms, s, m or h, as in 250ms or 2s");
        }
        if (time.group(2) == null) {
            return Duration.ZERO;
        }
        long number = Long.parseLong(time.group(2));
        Duration length = switch (time.group(3)) {
            case "h" -> Duration.ofHours(number);
            case "m" -> Duration.ofMinutes(number);
            case "s" -> Duration.ofSeconds(number);
            default -> Duration.ofMillis(number);
        };
        return time.group(1).isEmpty() ? length : length.negated();
    }

    /** Writes one, in the largest unit that it is a whole number of; what is below a millisecond is cut. */
    public static String text(Duration time) {
        long millis = time.toMillis();
        if (millis == 0) {
            return "0";
        }
        if (millis % 3_600_000 == 0) {
            return millis / 3_600_000 + "h";
        }
        if (millis % 60_000 == 0) {
            return millis / 60_000 + "m";
        }
        return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
    }
}

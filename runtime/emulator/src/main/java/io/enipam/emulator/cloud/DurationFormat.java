package io.enipam.emulator.cloud;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times in short form: {@code 0}, {@code 250ms}, {@code 2s}, {@code 5m}, {@code 3h}, with a minus if need be. */
public final class DurationFormat {
    private static final Pattern TIME = Pattern.compile("(-?)(?:0|([0-9]{1,9})(ms|s|m|h))");

    private static final Map<String, Long> MILLIS = Map.of("ms", 1L, "s", 1000L, "m", 60_000L, "h", 3_600_000L);

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
        long millis = Long.parseLong(time.group(2)) * MILLIS.get(time.group(3));
        return Duration.ofMillis(time.group(1).isEmpty() ? millis : -millis);
    }

    /** Writes one, in the largest unit that it is a whole number of; what is below a millisecond is cut. */
    public static String text(Duration time) {
        long millis = time.toMillis();
        return millis == 0
                ? "0"
                : MILLIS.entrySet().stream()
                        .filter(unit -> millis % unit.getValue() == 0)
                        .max(Map.Entry.comparingByValue())
                        .map(unit -> millis / unit.getValue() + unit.getKey())
                        .orElseThrow();
    }
}

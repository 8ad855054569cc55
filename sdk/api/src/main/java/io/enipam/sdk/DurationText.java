package io.enipam.sdk;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as Go programs write them: {@code 30s}, {@code 5m}, {@code 1h30m}, {@code 250ms}. */
public final class DurationText {
    private static final Map<String, Long> NANOS =
            Map.of("ms", 1_000_000L, "s", 1_000_000_000L, "m", 60_000_000_000L, "h", 3_600_000_000_000L);
    private static final Pattern PART = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ms|s|m|h)");
    private static final Pattern WHOLE = Pattern.compile("(?:" + PART.pattern() + ")+");

    private DurationText() {}

    /** @throws IllegalArgumentException if the text is not a duration */
    public static Duration parse(String text) {
        if (text.equals("0")) {
            return Duration.ZERO;
        }
        if (text.length() > 64 || !WHOLE.matcher(text).matches()) {
            throw new IllegalArgumentException("not a duration: " + text);
        }
        Duration total = Duration.ZERO;
        Matcher part = PART.matcher(text);
        while (part.find()) {
            BigDecimal nanos =
                    new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(NANOS.getOrDefault(part.group(2), 0L)));
            BigDecimal[] seconds = nanos.divideAndRemainder(BigDecimal.valueOf(1_000_000_000L));
            total = total.plus(Duration.ofSeconds(seconds[0].longValue(), seconds[1].longValue()));
        }
        return total;
    }

    /**
     * The shortest text that {@link #parse} reads back, to the millisecond.
     *
     * @param duration not negative; what is below a millisecond is left out
     */
    public static String show(Duration duration) {
        if (duration.toMillis() == 0) {
            return "0s";
        }
        StringBuilder text = new StringBuilder();
        append(text, duration.toHours(), "h");
        append(text, duration.toMinutesPart(), "m");
        append(text, duration.toSecondsPart(), "s");
        append(text, duration.toMillisPart(), "ms");
        return text.toString();
    }

    private static void append(StringBuilder text, long amount, String unit) {
        if (amount > 0) {
            text.append(amount).append(unit);
        }
    }
}

package io.enipam.shell.core;

import com.google.protobuf.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Times as an operator reads them. */
public final class TimeFormat {
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

    private TimeFormat() {}

    /** One figure and its unit: {@code 12s}, {@code 3m}, {@code 5h}, {@code 4d}; a negative span counts as zero. */
    public static String span(Duration span) {
        long seconds = Math.max(0, span.toSeconds());
        if (seconds < 60) {
            return seconds + "s";
        }
        if (seconds < 3600) {
            return seconds / 60 + "m";
        }
        return seconds < 48 * 3600 ? seconds / 3600 + "h" : seconds / 86_400 + "d";
    }

    /** How long something took: {@code 12 ms}, {@code 1.3 s}. */
    public static String took(com.google.protobuf.Duration took) {
        double millis = took.getSeconds() * 1e3 + took.getNanos() / 1e6;
        if (millis < 1) {
            return "under 1 ms";
        }
        return millis < 1000 ? Math.round(millis) + " ms" : String.format(Locale.ROOT, "%.1f s", millis / 1000);
    }

    /** How long ago that was, in one figure. */
    public static String age(Timestamp then, Instant now) {
        return span(Duration.between(instant(then), now));
    }

    /** The time that is left, rounded up, since "cooling for 0s" says nothing. */
    public static String left(Timestamp until, Instant now) {
        return span(Duration.between(now, instant(until)).plusMillis(999));
    }

    public static String clock(Timestamp at, ZoneId zone) {
        return clock(instant(at), zone);
    }

    public static String clock(Instant at, ZoneId zone) {
        return CLOCK.format(at.atZone(zone));
    }

    public static Instant instant(Timestamp timestamp) {
        return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
    }

    public static Timestamp timestamp(Instant at) {
        Timestamp.Builder time = Timestamp.newBuilder().setSeconds(at.getEpochSecond());
        return time.setNanos(at.getNano()).build();
    }

    /** Milliseconds since 1970; an absent time is 0. */
    public static long millis(Timestamp timestamp) {
        return instant(timestamp).toEpochMilli();
    }

    public static Duration duration(com.google.protobuf.Duration duration) {
        return Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
    }
}

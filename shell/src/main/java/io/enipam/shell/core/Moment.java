package io.enipam.shell.core;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.DurationParser.DurationConverter;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;

/** A moment of the past as an operator types and reads it. */
public final class Moment {
    private static final Duration LONGEST = Duration.ofDays(3_650);

    private static final DateTimeFormatter THIS_YEAR = DateTimeFormatter.ofPattern("MM-dd HH:mm", Locale.ROOT);
    private static final DateTimeFormatter BEFORE = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT);

    private Moment() {}

    /** Spans of what is kept in files, which may be of years: {@code 10m}, {@code 3d}. */
    public static final class PastSpan extends DurationConverter {
        public PastSpan() {
            super(DurationParser.SHORTEST, LONGEST);
        }
    }

    /**
     * Reads how long ago it was ({@code 10m}, {@code 3d ago}), a time of the last 24 hours ({@code 05:57}, {@code 05:57:30}), or a date with
     * a time and an offset ({@code 2026-11-27T05:57:00Z}).
     *
     * @throws ShellException a usage error for any other text
     */
    public static Instant parse(String text, Instant now, ZoneId zone) {
        try {
            if (text.contains("T")) {
                return OffsetDateTime.parse(text).toInstant();
            }
            if (text.contains(":")) {
                LocalDateTime today = now.atZone(zone).toLocalDate().atTime(LocalTime.parse(text));
                Instant then = today.atZone(zone).toInstant();
                return then.isAfter(now) ? today.minusDays(1).atZone(zone).toInstant() : then;
            }
        } catch (DateTimeParseException e) {
            throw ShellException.usage(
                    "'" + text + "' is no time", "As in: --at 10m, --at 05:57, --at 2026-11-27T05:57:00Z");
        }
        return now.minus(DurationParser.parse(text.replaceFirst(" ago$", ""), DurationParser.SHORTEST, LONGEST));
    }

    /** The time alone if it is of today. */
    public static String show(Instant at, Instant now, ZoneId zone) {
        ZonedDateTime then = at.atZone(zone);
        ZonedDateTime today = now.atZone(zone);
        if (then.toLocalDate().equals(today.toLocalDate())) {
            return TimeFormat.clock(at, zone);
        }
        return (then.getYear() == today.getYear() ? THIS_YEAR : BEFORE).format(then);
    }
}

package io.enipam.shell.core;

import com.google.protobuf.Timestamp;
import java.time.Instant;
import java.time.ZoneId;

/**
 * What a rendering depends on; {@code advice} is for operators: a runbook would take an example in it for a value.
 *
 * @param columns how many cells a line may take; 0 for any number
 */
public record RenderContext(Palette palette, Instant now, ZoneId zone, boolean advice, int columns) {
    /** One for lines of any width. */
    public RenderContext(Palette palette, Instant now, ZoneId zone, boolean advice) {
        this(palette, now, zone, advice, 0);
    }

    /** How many cells a picture takes; {@code usual} where any number will do. */
    public int columnsOr(int usual) {
        return columns > 0 ? columns : usual;
    }

    public RenderContext within(int cells) {
        return new RenderContext(palette, now, zone, advice, cells);
    }

    /** For lines that are indented later. */
    public RenderContext indented(int by) {
        return columns == 0 ? this : within(Math.max(1, columns - by));
    }

    /** The text without what a terminal would obey, in a tone. */
    public String paint(Tone tone, String text) {
        return palette.paint(tone, text);
    }

    public String age(Timestamp then) {
        return TimeFormat.age(then, now);
    }

    public String left(Timestamp until) {
        return TimeFormat.left(until, now);
    }

    public String clock(Timestamp at) {
        return TimeFormat.clock(at, zone);
    }

    /** {@code ENI eni-1 was detached by another, since 05:57:01 (2m)}. */
    public String since(String text, Timestamp then) {
        return text + ", since " + clock(then) + " (" + age(then) + ")";
    }

    /** The text, followed by advice on what to do next if that is wanted. */
    public String withAdvice(String text, String next) {
        return advice ? text + next : text;
    }
}

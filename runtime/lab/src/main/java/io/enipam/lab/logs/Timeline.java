package io.enipam.lab.logs;

import io.enipam.lab.trace.TraceFile.TraceException;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/** What the logs of one program say, with its times in milliseconds of one clock. Not thread-safe. */
final class Timeline<T> {
    /** Some lines say something of a sandbox, and each sandbox has up to six of those. */
    private static final int MOST = 5_000_000;

    /** In 2001: what has seconds in the place of milliseconds is earlier. */
    private static final double EARLIEST = 1e12;

    private static final double LATEST = 1e13;

    private final Problem.Counts problems;
    private final List<Entry<T>> entries = new ArrayList<>();
    private long from = Long.MAX_VALUE;
    private long to = Long.MIN_VALUE;
    private long last;

    record Entry<T>(long at, T what) {}

    Timeline(Problem.Counts problems) {
        this.problems = problems;
        nextFile();
    }

    /** Another file may go back in time: logs are rotated. */
    void nextFile() {
        last = Long.MIN_VALUE;
    }

    /** A line of that time, whatever it says. */
    void passes(long at, String where) {
        from = Math.min(from, at);
        to = Math.max(to, at);
        if (at < last) {
            problems.add(Problem.REORDERED, 1, where);
        }
        last = Math.max(last, at);
    }

    void add(long at, T what) throws TraceException {
        if (entries.size() == MOST) {
            throw new TraceException(
                    "the logs have more than " + MOST + " lines of sandboxes; import a part of them, such as one day");
        }
        entries.add(new Entry<>(at, what));
    }

    int size() {
        return entries.size();
    }

    /** In the order of their times; of the same time, in the order of the files. */
    List<Entry<T>> inOrder() {
        entries.sort(Comparator.comparingLong(Entry::at));
        return entries;
    }

    long from() {
        return from;
    }

    long to() {
        return to;
    }

    /** Milliseconds since 1970 of a time such as {@code 2026-11-27T10:00:00.123Z}; empty if it is none, or not of our times. */
    static OptionalLong time(String text) {
        try {
            OffsetDateTime parsed = OffsetDateTime.parse(text);
            return time(parsed.toEpochSecond() * 1000.0 + parsed.getNano() / 1_000_000);
        } catch (DateTimeException e) {
            return OptionalLong.empty();
        }
    }

    /** The same of a number. */
    static OptionalLong time(double millis) {
        return millis >= EARLIEST && millis < LATEST ? OptionalLong.of((long) millis) : OptionalLong.empty();
    }

    /** A moment as a problem says it. */
    String moment(long at) {
        return (at - from) / 1000 + " s after the first line";
    }
}

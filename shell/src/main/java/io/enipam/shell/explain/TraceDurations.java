package io.enipam.shell.explain;

import com.google.protobuf.Duration;
import java.util.Locale;

/** Spans of a timeline: three figures, from microseconds to minutes. */
final class TraceDurations {
    private TraceDurations() {}

    static String fine(Duration span) {
        return fine(nanos(span));
    }

    static long nanos(Duration span) {
        return span.getSeconds() * 1_000_000_000L + span.getNanos();
    }

    /** {@code 0.03 ms}, {@code 4.2 ms}, {@code 812 ms}, {@code 61.0 s}. */
    static String fine(long nanos) {
        double millis = nanos / 1e6;
        double size = Math.abs(millis);
        if (size >= 999.5) {
            return String.format(Locale.ROOT, size < 10_000 ? "%.2f s" : "%.1f s", millis / 1000);
        }
        if (size >= 99.5) {
            return String.format(Locale.ROOT, "%.0f ms", millis);
        }
        return String.format(Locale.ROOT, size >= 10 ? "%.1f ms" : "%.2f ms", millis);
    }
}

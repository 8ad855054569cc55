package io.enipam.diagnostics.doctor;

import java.time.Duration;
import java.util.Collection;
import java.util.Locale;

/** Figures for display. */
final class Figures {
    private static final int SHOWN = 5;

    private Figures() {}

    /** {@code 1 lease}, {@code 3 leases}; an s makes the plural. */
    static String count(long number, String what) {
        String plural = what.endsWith("s") || what.endsWith("ch") ? what + "es" : what + "s";
        return number + " " + (number == 1 ? what : plural);
    }

    /** {@code 12s}, {@code 3m}, {@code 5h}, {@code 4d}; the sign is left out. */
    static String span(Duration span) {
        long seconds = span.abs().toSeconds();
        if (seconds < 120) {
            return seconds + "s";
        }
        if (seconds < 2 * 3600) {
            return seconds / 60 + "m";
        }
        return seconds < 48 * 3600 ? seconds / 3600 + "h" : seconds / 86_400 + "d";
    }

    /** {@code 512 MiB}, {@code 1.5 GiB}. */
    static String bytes(long bytes) {
        double mebibytes = bytes / (double) (1 << 20);
        return mebibytes < 1024
                ? String.format(Locale.ROOT, mebibytes < 10 ? "%.1f MiB" : "%.0f MiB", mebibytes)
                : String.format(Locale.ROOT, "%.1f GiB", mebibytes / 1024);
    }

    /** The first few, and how many more there are. */
    static String list(Collection<String> names) {
        String first = String.join(", ", names.stream().limit(SHOWN).toList());
        return names.size() <= SHOWN ? first : first + " and " + (names.size() - SHOWN) + " more";
    }

    /** A part of a whole in percent, rounded down; 0 of nothing. */
    static int percent(long part, long whole) {
        return whole <= 0 ? 0 : (int) (part * 100.0 / whole);
    }
}

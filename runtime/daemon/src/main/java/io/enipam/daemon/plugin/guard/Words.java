package io.enipam.daemon.plugin.guard;

import org.jspecify.annotations.Nullable;

/** What a plugin says, fit for a log and an error: one line, bounded, and without trusting its {@code toString}. */
final class Words {
    private static final int LONGEST = 500;

    private Words() {}

    static String of(@Nullable Object value) {
        String text;
        try {
            text = String.valueOf(value);
        } catch (Throwable e) {
            text = "something whose toString() throws " + e.getClass().getName();
        }
        return line(text);
    }

    static String line(@Nullable String text) {
        String clean = String.valueOf(text).replaceAll("\\p{Cntrl}+", " ").strip();
        return clean.length() <= LONGEST ? clean : clean.substring(0, LONGEST - 3) + "...";
    }
}

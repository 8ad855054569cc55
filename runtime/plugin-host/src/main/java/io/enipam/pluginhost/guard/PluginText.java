package io.enipam.pluginhost.guard;

import org.jspecify.annotations.Nullable;

/**
 * What a plugin says, fit to be shown: one line, not too long. To ask a plugin's exception for its text is to run the
 * plugin's code, so it is done where that code may run.
 */
public final class PluginText {
    private static final int LONGEST = 500;

    private PluginText() {}

    public static String line(@Nullable String text) {
        if (text == null) {
            return "nothing";
        }
        StringBuilder line = new StringBuilder(Math.min(text.length(), LONGEST));
        for (int i = 0; i < text.length() && line.length() < LONGEST; i++) {
            char c = text.charAt(i);
            boolean format = Character.getType(c) == Character.FORMAT;
            boolean breaks = Character.isISOControl(c) || c == '\u2028' || c == '\u2029';
            if (!format) {
                line.append(breaks ? ' ' : c);
            }
        }
        return text.length() > LONGEST && line.length() == LONGEST
                ? line.substring(0, LONGEST - 3) + "..."
                : line.toString();
    }

    /** A name and a message; never throws. */
    static String of(Throwable thrown) {
        try {
            return line(thrown.toString());
        } catch (Throwable e) {
            return line(thrown.getClass().getName() + ", which cannot say why");
        }
    }
}

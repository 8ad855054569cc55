package io.enipam.pluginhost.load;

import java.util.regex.Pattern;

/** Text of unknown origin, made fit for a line of a log or a terminal. */
final class OneLine {
    private static final int LONGEST = 600;
    private static final Pattern NOT_PRINTABLE = Pattern.compile("[\\p{Cntrl}\\p{Cf}\\p{Zl}\\p{Zp}]+");

    private OneLine() {}

    /** The text without control characters and line ends, and without its end if it is long. */
    static String of(String text) {
        String head = text.length() > 2 * LONGEST ? text.substring(0, 2 * LONGEST) : text;
        String line = NOT_PRINTABLE.matcher(head).replaceAll(" ").strip();
        return line.length() > LONGEST ? line.substring(0, LONGEST) + "..." : line;
    }

    /**
     * What was thrown: its class and its message. Runs the thrown object's own code, so it is called where that may hang.
     */
    static String of(Throwable thrown) {
        String kind = thrown.getClass().getName();
        try {
            String message = thrown.getMessage();
            return of(message == null || message.isBlank() ? kind : kind + ": " + message);
        } catch (Throwable worse) { // the plugin's own exception can throw whatever it likes when it is asked
            return of(kind);
        }
    }
}

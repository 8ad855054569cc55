package io.enipam.shell.core;

/** Whether tones are shown. Text from the outside is cleaned of control characters on the way either way. */
public enum Palette {
    PLAIN,
    COLOUR;

    /** The text in its tone, safe to send to a terminal. */
    public String paint(Tone tone, String text) {
        String clean = clean(text);
        return this == PLAIN || tone.sgr().isEmpty() || clean.isBlank()
                ? clean
                : "\u001b[" + tone.sgr() + "m" + clean + "\u001b[0m";
    }

    /** Replaces what could move the cursor or retitle the window: a pod's name is data, not a command to the terminal. */
    public static String clean(String text) {
        return text.codePoints().noneMatch(Palette::harmful)
                ? text
                : text.codePoints()
                        .map(c -> harmful(c) ? '\uFFFD' : c)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString();
    }

    /** The text without its tones. Whatever else looks like an escape was cleaned away before. */
    public static String plain(String painted) {
        return painted.replaceAll("\u001b\\[[0-9;]*m", "");
    }

    /** Control characters, what ends a line or turns its direction, and halves of a character. */
    public static boolean harmful(int c) {
        return Character.isISOControl(c)
                || (c >= 0x2028 && c <= 0x202E)
                || (c >= 0x2066 && c <= 0x2069)
                || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    }
}

package io.enipam.shell.core;

import org.jline.utils.WCWidth;

/** How much room text takes on a terminal, counted in cells: a character of Chinese takes two, a combining one none. */
public final class DisplayWidth {
    private DisplayWidth() {}

    /** The cells that a text takes. */
    public static int width(String text) {
        int width = 0;
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x7F) {
                return text.codePoints().map(DisplayWidth::width).sum();
            }
            width++;
        }
        return width;
    }

    private static int width(int character) {
        return Math.max(0, WCWidth.wcwidth(character));
    }

    /** The text, or as much of its beginning as fits, with a sign that there is more; nothing if there is no room at all. */
    public static String clipped(String text, int room) {
        if (width(text) <= room) {
            return text;
        }
        if (room <= 0) {
            return "";
        }
        StringBuilder kept = new StringBuilder();
        int used = 1;
        for (int i = 0; i < text.length(); i = text.offsetByCodePoints(i, 1)) {
            int character = text.codePointAt(i);
            used += width(character);
            if (used > room) {
                break;
            }
            kept.appendCodePoint(character);
        }
        return kept.append('\u2026').toString();
    }
}

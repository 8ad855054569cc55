package io.enipam.shell.core;

import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;

/** Text that goes on in the next line where the terminal ends, between words. */
public final class Prose {
    private static final int HANG = 4;

    private Prose() {}

    /** Lines, perhaps in tones, each as it is or wrapped, further than it begins; {@code columns} 0 wraps none. */
    public static List<String> fitted(List<String> lines, int columns) {
        return columns == 0
                ? lines
                : lines.stream()
                        .flatMap(line -> wrapped(line, columns, indent(line) + HANG).stream())
                        .toList();
    }

    /** How many blanks a line begins with. */
    public static int indent(String line) {
        String plain = Palette.plain(line);
        return plain.length() - plain.stripLeading().length();
    }

    /**
     * A text, perhaps in tones, in lines of at most {@code columns} cells, all but the first indented by {@code hang}, unless that
     * is more than half of the line. A word that is longer than a line is broken.
     */
    public static List<String> wrapped(String text, int columns, int hang) {
        if (text.length() <= columns && text.chars().allMatch(c -> c < 0x7F)) {
            return List.of(text);
        }
        AttributedString left = AttributedString.fromAnsi(text);
        if (left.columnLength() <= columns) {
            return List.of(text);
        }
        String indent = " ".repeat(hang * 2 > columns ? 0 : hang);
        List<String> lines = new ArrayList<>();
        for (int room = columns; left.columnLength() > room; room = columns - indent.length()) {
            int most = left.columnSubSequence(0, room).length();
            int end = blankBefore(left, most);
            int next = end;
            while (next < left.length() && left.charAt(next) == ' ') {
                next++;
            }
            lines.add((lines.isEmpty() ? "" : indent) + left.subSequence(0, end).toAnsi());
            left = left.subSequence(next, left.length());
        }
        lines.add((lines.isEmpty() ? "" : indent) + left.toAnsi());
        return lines;
    }

    /** Where to break: behind the last word of which all fits, or at {@code most} if no word ends before. */
    private static int blankBefore(AttributedString text, int most) {
        int blank = most;
        while (blank > 0 && text.charAt(blank) != ' ') {
            blank--;
        }
        int end = blank;
        while (end > 0 && text.charAt(end - 1) == ' ') {
            end--;
        }
        return end == 0 ? Math.max(1, most) : end;
    }
}

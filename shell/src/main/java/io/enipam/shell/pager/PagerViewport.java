package io.enipam.shell.pager;

import io.enipam.shell.pager.Pager.PagerBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/**
 * Which part of the text is on the screen. Lines are not wrapped, as tables are read by columns: arrows reach what is
 * wider. For one thread.
 */
final class PagerViewport {
    private final PagerBuffer text;
    private int rows;
    private int columns;
    private long top;
    private int left;
    private boolean follows;
    private String searched = "";
    private String message = "";

    PagerViewport(PagerBuffer text) {
        this.text = text;
    }

    void resize(int newRows, int newColumns) {
        rows = Math.max(2, newRows);
        columns = Math.max(10, newColumns);
    }

    private int page() {
        return rows - 1;
    }

    /** Goes down, or up if negative. */
    void scroll(long by) {
        follows = false;
        message = "";
        top = bounded(top + by);
    }

    void pages(int by) {
        scroll((long) by * Math.max(1, page() - 1));
    }

    void halfPages(int by) {
        scroll((long) by * Math.max(1, page() / 2));
    }

    void toStart() {
        scroll(Long.MIN_VALUE / 2);
    }

    void toEnd() {
        scroll(Long.MAX_VALUE / 2);
    }

    /** Stays at the end, whatever comes. */
    void follow() {
        toEnd();
        follows = true;
    }

    void sideways(int halfScreens) {
        left = Math.max(0, left + halfScreens * Math.max(1, columns / 2));
    }

    private long bounded(long number) {
        return Math.max(text.first(), Math.min(number, text.end() - page()));
    }

    /** Whether the last line is on the screen. */
    boolean atEnd() {
        return top + page() >= text.end();
    }

    /** Goes to the next or the previous line with a text, in any case; empty text repeats the last search. */
    void search(String what, boolean forwards) {
        searched = what.isEmpty() ? searched : what.toLowerCase(Locale.ROOT);
        follows = false;
        long step = forwards ? 1 : -1;
        for (long at = top + step; at >= text.first() && at < text.end(); at += step) {
            String line = text.line(at).orElse(""); // the oldest may go while this looks
            if (plain(line).toLowerCase(Locale.ROOT).contains(searched)) {
                top = at;
                message = "";
                return;
            }
        }
        message = "not found: " + searched;
    }

    private static String plain(String line) {
        return AttributedString.stripAnsi(line);
    }

    /** The screen, and at its bottom where one is, or what is typed to search for. */
    List<AttributedString> screen(String typed) {
        top = follows ? bounded(Long.MAX_VALUE / 2) : Math.max(text.first(), top);
        List<AttributedString> screen = new ArrayList<>();
        for (String line : text.from(top, page())) {
            screen.add(shown(line));
        }
        while (screen.size() < page()) {
            screen.add(new AttributedString("~", AttributedStyle.DEFAULT.faint()));
        }
        String bottom = typed.isEmpty() ? status() : typed;
        screen.add(new AttributedString(
                bottom.length() < columns ? bottom : bottom.substring(0, columns - 1), AttributedStyle.INVERSE));
        return screen;
    }

    private AttributedString shown(String line) {
        AttributedString all = AttributedString.fromAnsi(line.replace("\t", "        "));
        if (!searched.isEmpty()) {
            all = marked(all);
        }
        int width = all.columnLength();
        if (left >= width) {
            return AttributedString.EMPTY;
        }
        if (width - left <= columns) {
            return all.columnSubSequence(left, width);
        }
        return new AttributedStringBuilder()
                .append(all.columnSubSequence(left, left + columns - 1))
                .styled(AttributedStyle.INVERSE, ">")
                .toAttributedString();
    }

    private AttributedString marked(AttributedString line) {
        String lower = line.toString().toLowerCase(Locale.ROOT);
        int found = lower.indexOf(searched);
        if (found < 0) {
            return line;
        }
        int end = found + searched.length();
        return new AttributedStringBuilder()
                .append(line.subSequence(0, found))
                .styled(AttributedStyle.INVERSE, line.toString().substring(found, end))
                .append(line.subSequence(end, line.length()))
                .toAttributedString();
    }

    private String status() {
        long last = Math.min(top + page(), text.end());
        String of = text.end() + (text.isComplete() ? "" : "+");
        String where = "lines " + (top + 1) + "-" + last + " of " + of;
        String what =
                !message.isEmpty() ? message : follows ? "following, q quits" : "q quits, space pages, / searches";
        return " " + where + (atEnd() && text.isComplete() ? " (end)" : "") + "  " + what + " ";
    }
}

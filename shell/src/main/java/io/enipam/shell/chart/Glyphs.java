package io.enipam.shell.chart;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** The characters that charts are made of: blocks, or what every terminal has. */
public enum Glyphs {
    BLOCKS(" ▏▎▍▌▋▊▉█", '·', '┃', " ▁▂▃▄▅▆▇█"),
    ASCII(" #", '.', '|', " _.-=+*%#");

    /** From nothing to a full cell, filled from the left. */
    private final String partial;

    private final char rest;
    private final char mark;
    /** The first for no value, the second for the lowest, the last for the highest. */
    private final String levels;

    Glyphs(String partial, char rest, char mark, String levels) {
        this.partial = partial;
        this.rest = rest;
        this.mark = mark;
        this.levels = levels;
    }

    /** Blocks if the locale's characters are those of Unicode and the terminal is one. */
    public static Glyphs of(String charset, String term) {
        boolean unicode = charset.toLowerCase(Locale.ROOT).replace("-", "").contains("utf8");
        return unicode && !term.equals("dumb") ? BLOCKS : ASCII;
    }

    /** Those of this process's locale (locale(7)); {@code ascii} asks for what every terminal has. */
    public static Glyphs here(boolean ascii) {
        String locale = Stream.of("LC_ALL", "LC_CTYPE", "LANG")
                .map(name -> System.getenv().getOrDefault(name, ""))
                .filter(value -> !value.isEmpty())
                .findFirst()
                .orElse("");
        return ascii ? ASCII : of(locale, "");
    }

    /** A bar of so many cells, of which a share from 0 to 1 is filled; what is beyond is cut. */
    public String bar(double share, int width) {
        int steps = partial.length() - 1;
        double within = Math.max(0, Math.min(1, Double.isNaN(share) ? 0 : share));
        long filled = Math.round(within * width * steps);
        // something is never shown as nothing
        long shown = within > 0 ? Math.max(1, filled) : 0;
        StringBuilder bar = new StringBuilder(width);
        for (int cell = 0; cell < width; cell++) {
            int of = (int) Math.max(0, Math.min(steps, shown - (long) cell * steps));
            bar.append(of == 0 ? rest : partial.charAt(of));
        }
        return bar.toString();
    }

    /** The same bar with a mark, where it is not filled; a share outside of 0 to 1 marks nothing. */
    public String marked(String bar, double share) {
        int cell = (int) Math.floor(share * bar.length());
        if (share <= 0 || cell >= bar.length()) {
            return bar;
        }
        StringBuilder marked = new StringBuilder(bar);
        marked.setCharAt(cell, mark);
        return marked.toString();
    }

    /** What an axis of values is drawn of. */
    public char axis() {
        return mark;
    }

    /** A line of one character a value, from 0 to the highest of them; NaN where there is none. */
    public String spark(double... values) {
        OptionalDouble highest =
                Arrays.stream(values).filter(value -> !Double.isNaN(value)).max();
        StringBuilder line = new StringBuilder(values.length);
        for (double value : values) {
            line.append(levels.charAt(Double.isNaN(value) ? 0 : level(value, highest.orElse(0))));
        }
        return line.toString();
    }

    private int level(double value, double highest) {
        int steps = levels.length() - 2;
        if (value <= 0 || highest <= 0) {
            return 1;
        }
        return 1 + (int) Math.max(1, Math.round(value / highest * steps));
    }

    /**
     * A column of one character a value and so many rows, the topmost first: filled from below up to the share that a value is of the highest.
     * NaN leaves its column empty; 0 is a line at the bottom, so that it differs from that.
     */
    public List<String> area(int rows, double highest, double... values) {
        int steps = levels.length() - 1;
        List<String> lines = new ArrayList<>();
        for (int row = rows - 1; row >= 0; row--) {
            StringBuilder line = new StringBuilder(values.length);
            for (double value : values) {
                int filled = Double.isNaN(value) ? 0 : filled(value, highest, rows * steps);
                line.append(levels.charAt(Math.max(0, Math.min(steps, filled - row * steps))));
            }
            lines.add(line.toString());
        }
        return lines;
    }

    private static int filled(double value, double highest, int steps) {
        return value <= 0 || highest <= 0 ? 1 : (int) Math.max(2, Math.round(value / highest * steps));
    }
}

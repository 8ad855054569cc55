package io.enipam.shell.render;

import java.util.ArrayList;
import java.util.List;

/** Rows whose columns line up. Width is counted in code points, the last column is not padded. */
public final class Table {
    private static final String GAP = "  ";

    /** A cell: text, and what it means. */
    public record Cell(String text, Tone tone) {
        public Cell {
            text = Palette.clean(text);
        }

        private int width() {
            return text.codePointCount(0, text.length());
        }
    }

    private final List<List<Cell>> rows = new ArrayList<>();

    private Table() {}

    /** A table with a line of headings. */
    public static Table headed(String... headings) {
        Table table = new Table();
        table.rows.add(
                List.of(headings).stream().map(h -> new Cell(h, Tone.HEAD)).toList());
        return table;
    }

    /** A table of labels and what they label. */
    public static Table details() {
        return new Table();
    }

    public static Cell cell(String text) {
        return new Cell(text.isEmpty() ? "-" : text, text.isEmpty() ? Tone.LABEL : Tone.PLAIN);
    }

    public static Cell cell(long number) {
        return new Cell(Long.toString(number), Tone.PLAIN);
    }

    public static Cell state(String state) {
        return new Cell(state.isEmpty() ? "-" : state, Tone.ofState(state));
    }

    public Table row(Cell... cells) {
        rows.add(List.of(cells));
        return this;
    }

    public Table detail(String label, String text) {
        return row(new Cell(label, Tone.LABEL), cell(text));
    }

    public Table detail(String label, Cell cell) {
        return row(new Cell(label, Tone.LABEL), cell);
    }

    /** The text, or as much of its beginning as fits, with a sign that there is more. */
    public static String clipped(String text, int width) {
        return text.codePointCount(0, text.length()) <= width
                ? text
                : text.substring(0, text.offsetByCodePoints(0, width - 1)) + "\u2026";
    }

    /** How many rows there are, with that of the headings. */
    int rows() {
        return rows.size();
    }

    /** The table's lines, without line ends. */
    public List<String> lines(Palette palette) {
        List<Integer> widths = widths();
        return rows.stream().map(row -> line(row, widths, palette)).toList();
    }

    private static String line(List<Cell> row, List<Integer> widths, Palette palette) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.size(); i++) {
            Cell cell = row.get(i);
            line.append(palette.paint(cell.tone(), cell.text()));
            if (i < row.size() - 1) {
                line.append(" ".repeat(widths.get(i) - cell.width())).append(GAP);
            }
        }
        return line.toString();
    }

    private List<Integer> widths() {
        List<Integer> widths = new ArrayList<>();
        for (List<Cell> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                int width = row.get(i).width();
                if (i == widths.size()) {
                    widths.add(width);
                } else {
                    widths.set(i, Math.max(widths.get(i), width));
                }
            }
        }
        return widths;
    }
}

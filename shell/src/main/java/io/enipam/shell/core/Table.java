package io.enipam.shell.core;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jline.utils.WCWidth;

/** Rows whose columns line up on a terminal. The last column is not padded. */
public final class Table {
    private static final String GAP = "  ";

    public record Cell(String text, Tone tone) {
        public Cell {
            text = Palette.clean(text);
        }
    }

    private final List<List<Cell>> rows = new ArrayList<>();
    private final List<Integer> widths = new ArrayList<>();

    private Table() {}

    public static Table headed(String... headings) {
        Table table = new Table();
        table.rows.add(Stream.of(headings).map(h -> new Cell(h, Tone.HEAD)).toList());
        return table;
    }

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

    /** Text in a tone; text that is absent is a dash. */
    public static Cell toned(String text, Tone tone) {
        return text.isEmpty() ? cell(text) : new Cell(text, tone);
    }

    /** Adds a row. Each value is a {@link Cell}, a number, or a text without a tone of its own. */
    public Table row(Object... values) {
        rows.add(cells(values));
        return this;
    }

    public static List<Cell> cells(Object... values) {
        return Stream.of(values)
                .map(value -> value instanceof Cell cell ? cell : cell(value.toString()))
                .toList();
    }

    /** The lines of a table with a row for each item; none without items. Two blanks separate the headings. */
    public static <I> List<String> listed(
            RenderContext look, List<I> items, String headings, Function<I, List<Cell>> row) {
        if (items.isEmpty()) {
            return List.of();
        }
        Table table = headed(headings.split(" {2}"));
        items.forEach(item -> table.rows.add(row.apply(item)));
        return table.lines(look.palette());
    }

    /** A row of a label and a value: see {@link #row}. */
    public Table detail(String label, Object value) {
        return row(new Cell(label, Tone.LABEL), value);
    }

    public Table detail(String label, String text, Tone tone) {
        return detail(label, new Cell(text, tone));
    }

    public Table detailIf(boolean there, String label, Object value) {
        return there ? detail(label, value) : this;
    }

    public Table detailIfAny(String label, String text) {
        return detailIf(!text.isEmpty(), label, text);
    }

    /** Adds further lines, if there are any, behind an empty one. */
    public static void section(List<String> lines, List<String> more) {
        if (!more.isEmpty()) {
            lines.add("");
            lines.addAll(more);
        }
    }

    /** {@code 1 lease}, {@code 2 leases}. */
    public static String counted(long count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }

    /** The cells that a text takes on a terminal: a character of Chinese takes two, a combining one none. */
    public static int width(String text) {
        return text.chars().allMatch(c -> c < 0x7F)
                ? text.length()
                : text.codePoints().map(Table::width).sum();
    }

    private static int width(int character) {
        return Math.max(0, WCWidth.wcwidth(character));
    }

    /** The text, or as much of its beginning as fits, with a sign that there is more; nothing without any room. */
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
            used += width(text.codePointAt(i));
            if (used > room) {
                break;
            }
            kept.appendCodePoint(text.codePointAt(i));
        }
        return kept.append('\u2026').toString();
    }

    /** The table's lines, without line ends; see {@link #take}. */
    public List<String> lines(Palette palette) {
        return lines(palette, 0);
    }

    /** The lines of the rows since the last time, of at most {@code limit} cells (0: any number); widths stay. */
    public List<String> take(Palette palette, int limit) {
        List<String> lines = lines(palette, limit);
        rows.clear();
        return lines;
    }

    private List<String> lines(Palette palette, int limit) {
        widen();
        return rows.stream().map(row -> line(row, palette, limit)).toList();
    }

    private String line(List<Cell> row, Palette palette, int limit) {
        StringBuilder line = new StringBuilder();
        int left = limit > 0 ? limit : Integer.MAX_VALUE;
        for (int i = 0; i < row.size() && left > 0; i++) {
            Cell cell = row.get(i);
            line.append(palette.paint(cell.tone(), clipped(cell.text(), left)));
            left -= widths.get(i) + GAP.length();
            if (i < row.size() - 1 && left > 0) {
                line.append(" ".repeat(widths.get(i) - width(cell.text()))).append(GAP);
            }
        }
        return line.toString();
    }

    private void widen() {
        for (List<Cell> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                if (i == widths.size()) {
                    widths.add(0);
                }
                widths.set(i, Math.max(widths.get(i), width(row.get(i).text())));
            }
        }
    }
}

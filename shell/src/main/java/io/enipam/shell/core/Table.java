package io.enipam.shell.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jline.utils.WCWidth;

/**
 * Rows whose columns line up on a terminal. The last column is not padded. Where the terminal is too narrow, names are cut in
 * the middle, prose goes on in the next line, and columns that have no room at all are counted: see {@link TableLayout}.
 */
public final class Table {
    private static final String GAP = "  ";
    private static final String INDENT = "    ";

    public record Cell(String text, Tone tone) {
        public Cell {
            text = Palette.clean(text);
        }
    }

    private final List<List<Cell>> rows = new ArrayList<>();
    private final List<Integer> widths = new ArrayList<>();
    /** The row of headings; empty if there is none. */
    private List<Cell> head = List.of();

    private List<Heading> headings = List.of();
    private OutputFormat format = OutputFormat.TABLE;
    private int prose = TableLayout.NO_PROSE;
    private boolean begun;
    private Optional<TableLayout> drawn = Optional.empty();

    private Table() {}

    /** What stands above a column, and its {@code key} for programs; {@code prose} as of {@link #prose}. */
    public record Heading(String key, String text, boolean prose) {}

    /** The rows of a list in one of the formats that have columns. */
    public static Table headed(List<Heading> headings, OutputFormat format) {
        Table table = headed(headings.stream().map(Heading::text).toArray(String[]::new));
        table.headings = List.copyOf(headings);
        table.format = format;
        for (int i = 0; i < headings.size(); i++) {
            table.prose = headings.get(i).prose() ? i : table.prose;
        }
        return table;
    }

    public static Table headed(String... headings) {
        Table table = new Table();
        List<Cell> head = Stream.of(headings).map(h -> new Cell(h, Tone.HEAD)).toList();
        table.head = head;
        table.rows.add(head);
        return table;
    }

    /** Labels and what is said of each, which may be prose. */
    public static Table details() {
        return new Table().prose(1);
    }

    /** Says which column, from 0 on, is prose: it is wrapped at words, and never cut or hidden. */
    public Table prose(int column) {
        prose = column;
        return this;
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

    /** The lines of a table with a row for each item, prose at its end; none without items. Two blanks separate the headings. */
    public static <I> List<String> listed(
            RenderContext look, List<I> items, String headings, Function<I, List<Cell>> row) {
        if (items.isEmpty()) {
            return List.of();
        }
        String[] names = headings.split(" {2}");
        Table table = headed(names).prose(names.length - 1);
        items.forEach(item -> table.rows.add(row.apply(item)));
        return table.lines(look);
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

    /** An address as it is typed: without the length of its prefix. */
    public static String host(String address) {
        int slash = address.indexOf('/');
        return slash < 0 ? address : address.substring(0, slash);
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

    /** The text, or its beginning and its end with a sign between them if not all of it fits into {@code room} cells. */
    public static String cut(String text, int room) {
        if (width(text) <= room) {
            return text;
        }
        int end = text.length();
        for (int left = (room - 1) / 2; end > 0; end = text.offsetByCodePoints(end, -1)) {
            left -= width(text.codePointBefore(end));
            if (left < 0) {
                break;
            }
        }
        String tail = text.substring(end);
        return clipped(text, room - width(tail)) + tail;
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

    /** The table's lines, without line ends, for the width that is there; what does not fit is said in the last. */
    public List<String> lines(RenderContext look) {
        List<String> lines =
                new ArrayList<>(take(look).stream().flatMap(List::stream).toList());
        hidden().ifPresent(note -> lines.add(look.paint(Tone.LABEL, note)));
        return lines;
    }

    /** What is not there is a dash for people, and nothing for programs. */
    private static String value(Cell cell) {
        return cell.equals(cell("")) ? "" : cell.text();
    }

    /**
     * The lines of each row since the last time, the first time with those of the headings before them. Which columns have room is
     * decided the first time; without a limit later rows may widen them.
     */
    public List<List<String>> take(RenderContext look) {
        List<List<String>> lines = switch (format) {
            case CSV -> rows.stream().map(row -> List.of(csv(row))).toList();
            case VERTICAL -> rows.stream().map(row -> block(row, look)).toList();
            default -> aligned(look.palette(), look.columns());
        };
        rows.clear();
        return lines;
    }

    /** A line for each field, and an empty one between two rows; none for the headings. */
    private List<String> block(List<Cell> row, RenderContext look) {
        if (isHead(row)) {
            return List.of();
        }
        Table fields = details();
        for (int i = 0; i < row.size(); i++) {
            fields.detail(headings.get(i).text(), row.get(i));
        }
        List<String> lines = new ArrayList<>(begun ? List.of("") : List.of());
        begun = true;
        lines.addAll(fields.lines(look));
        return lines;
    }

    /** A line as of RFC 4180, without the line feed of its end. Cells hold no ends of lines: see {@link Palette#clean}. */
    private String csv(List<Cell> row) {
        Stream<String> fields =
                isHead(row) ? headings.stream().map(Heading::key) : row.stream().map(Table::value);
        return fields.map(field -> field.indexOf(',') < 0 && field.indexOf('"') < 0
                        ? field
                        : '"' + field.replace("\"", "\"\"") + '"')
                .collect(Collectors.joining(",", "", "\r"));
    }

    private boolean isHead(List<Cell> row) {
        return row == head;
    }

    private List<List<String>> aligned(Palette palette, int limit) {
        widen();
        if (limit > 0) {
            drawn = drawn.map(now -> now.wider(widths, limit))
                    .or(() -> Optional.of(TableLayout.of(widths, prose, limit)));
        }
        TableLayout layout = drawn.orElseGet(() -> TableLayout.natural(widths));
        return rows.stream().map(row -> lines(row, layout, palette, limit)).toList();
    }

    /** How many columns had no room, and how to see them; empty if all are shown. Known after the first rows. */
    public Optional<String> hidden() {
        return drawn.filter(layout -> layout.hidden() > 0)
                .map(layout -> counted(layout.hidden(), "column") + " hidden: -o wide");
    }

    private List<String> lines(List<Cell> row, TableLayout layout, Palette palette, int limit) {
        List<List<String>> parts = new ArrayList<>();
        List<Integer> shown = new ArrayList<>();
        int height = 1;
        for (int i = 0; i < row.size(); i++) {
            int room = layout.width(i);
            if (room > 0) {
                String text = row.get(i).text();
                boolean fits = width(text) <= room;
                parts.add(fits ? List.of(text) : i == prose ? Prose.wrapped(text, room, 0) : List.of(cut(text, room)));
                shown.add(i);
                height = Math.max(height, parts.get(parts.size() - 1).size());
            }
        }
        List<String> lines = new ArrayList<>();
        for (int at = 0; at < height; at++) {
            StringBuilder line = new StringBuilder();
            for (int k = 0; k < parts.size(); k++) {
                List<String> part = parts.get(k);
                String text = at < part.size() ? part.get(at) : "";
                line.append(palette.paint(row.get(shown.get(k)).tone(), text));
                if (k < parts.size() - 1) {
                    line.append(" ".repeat(layout.width(shown.get(k)) - width(text)))
                            .append(GAP);
                }
            }
            lines.add(at == 0 ? line.toString() : line.toString().stripTrailing());
        }
        if (layout.proseBelow()
                && prose < row.size()
                && !isHead(row)
                && !value(row.get(prose)).isEmpty()) {
            Cell below = row.get(prose);
            Prose.wrapped(below.text(), Math.max(1, limit - INDENT.length()), 0)
                    .forEach(line -> lines.add(INDENT + palette.paint(below.tone(), line)));
        }
        return lines;
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

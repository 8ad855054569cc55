package io.enipam.shell.core;

import io.enipam.shell.core.TableListing.Column;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** A list whose rows come in parts: the first decides a column's width, a later one may widen it. Not thread-safe. */
public final class StreamingTable<I> {
    private static final String INDENT = "    ";

    private final List<Column<I>> columns;
    private final OutputFormat format;
    private final Table table;
    private final Function<I, List<String>> under;
    private boolean begun;

    /** @param format one with rows */
    public StreamingTable(List<Column<I>> columns, OutputFormat format) {
        this(columns, format, item -> List.of());
    }

    /** @param under makes lines below an item's row, for people */
    public StreamingTable(List<Column<I>> columns, OutputFormat format, Function<I, List<String>> under) {
        this.columns = columns;
        this.format = format;
        this.under = under;
        this.table = Table.headed(TableListing.headings(columns), format);
    }

    /** The lines of these rows, the first time with the headings above them. */
    public List<String> lines(List<I> items, RenderContext look) {
        for (I item : items) {
            table.row(columns.stream()
                    .map(column -> column.cell().apply(item, look))
                    .toArray());
        }
        Iterator<List<String>> rows = table.take(look).iterator();
        List<String> lines = new ArrayList<>();
        if (!begun) {
            lines.addAll(rows.next());
        }
        for (I item : items) {
            lines.addAll(rows.next());
            if (format.text()) {
                lines.addAll(below(under.apply(item), look.columns()));
            }
        }
        begun = true;
        return lines;
    }

    /** Lines below a row, cleaned and indented. */
    public static List<String> below(List<String> lines, int limit) {
        return Prose.fitted(
                lines.stream()
                        .map(line -> INDENT + Palette.clean(line.replace("\t", "  ")))
                        .toList(),
                limit);
    }

    /** What to say of columns that had no room; empty if all are shown. */
    public Optional<String> hidden() {
        return table.hidden();
    }

    public boolean begun() {
        return begun;
    }
}

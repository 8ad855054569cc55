package io.enipam.shell.core;

import io.enipam.shell.core.TableListing.Column;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;

/** A table whose rows come in parts: the first decides a column's width, a later one may widen it. Not thread-safe. */
public final class StreamingTable<I> {
    private static final String INDENT = "    ";

    private final List<Column<I>> columns;
    private final Table table;
    private final Function<I, List<String>> under;
    private final int limit;
    private boolean begun;

    /** @param limit how many cells of the terminal a line may take; 0 for any number */
    public StreamingTable(List<Column<I>> columns, int limit) {
        this(columns, item -> List.of(), limit);
    }

    /** @param limit as above; {@code under} makes lines below an item's row */
    public StreamingTable(List<Column<I>> columns, Function<I, List<String>> under, int limit) {
        this.columns = columns;
        this.under = under;
        this.limit = limit;
        this.table = Table.headed(columns.stream().map(Column::heading).toArray(String[]::new));
    }

    /** The lines of these rows, the first time with the headings above them. */
    public List<String> lines(List<I> items, RenderContext look) {
        for (I item : items) {
            table.row(columns.stream()
                    .map(column -> column.cell().apply(item, look))
                    .toArray(Table.Cell[]::new));
        }
        Iterator<String> rows = table.take(look.palette(), limit).iterator();
        List<String> lines = new ArrayList<>();
        if (!begun) {
            lines.add(rows.next());
        }
        for (I item : items) {
            lines.add(rows.next());
            under.apply(item).forEach(line -> lines.add(INDENT + Palette.clean(line.replace("\t", "  "))));
        }
        begun = true;
        return lines;
    }

    public boolean begun() {
        return begun;
    }
}

package io.enipam.shell.render;

import java.util.ArrayList;
import java.util.List;

/**
 * The lines of a table whose rows come in parts. A column is as wide as it had to be until now: the first part decides, and a
 * later one may widen it for what follows. Not thread-safe.
 */
public final class Rows<I> {
    private final List<Column<I>> columns;
    private final Table table;
    private final int limit;
    private boolean begun;

    /** @param limit how many cells of the terminal a line may take; 0 for any number */
    public Rows(List<Column<I>> columns, int limit) {
        this.columns = columns;
        this.limit = limit;
        this.table = Table.headed(columns.stream().map(Column::heading).toArray(String[]::new));
    }

    /** The lines of these rows, the first time with the headings above them. */
    public List<String> lines(List<I> items, Look look) {
        for (I item : items) {
            table.row(columns.stream()
                    .map(column -> column.cell().apply(item, look))
                    .toArray(Table.Cell[]::new));
        }
        List<String> lines = new ArrayList<>(table.take(look.palette(), limit));
        begun = true;
        return lines;
    }

    /** Whether there were any lines yet. */
    public boolean begun() {
        return begun;
    }
}

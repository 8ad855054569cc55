package io.enipam.shell.core;

import io.enipam.shell.core.TableListing.Column;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The rows that one daemon's answers put into tables, before padding: those of many daemons have to line up. Not
 * thread-safe.
 */
public final class TableBuffer {
    /**
     * One table's part, with the text for none at any daemon; {@code flows} if the last column is prose that is never
     * cut off.
     */
    public record Block(List<String> headings, String none, boolean flows, List<Row> rows) {}

    /** A cell for each heading, and lines below the row. */
    public record Row(List<Table.Cell> cells, List<String> under) {}

    private final List<Block> blocks = new ArrayList<>();

    /** Takes a listing to its end. */
    public <I> void list(
            TableListing<I> listing,
            List<Column<I>> columns,
            boolean withLinesBelow,
            Iterator<? extends List<I>> parts,
            RenderContext look) {
        Block block = new Block(
                columns.stream().map(Column::heading).toList(), listing.none(look), listing.flows(), new ArrayList<>());
        blocks.add(block);
        while (parts.hasNext()) {
            for (I item : parts.next()) {
                List<Table.Cell> cells = columns.stream()
                        .map(column -> column.cell().apply(item, look))
                        .toList();
                block.rows().add(new Row(cells, listing.under(withLinesBelow).apply(item)));
            }
        }
    }

    public List<Block> blocks() {
        return blocks;
    }
}

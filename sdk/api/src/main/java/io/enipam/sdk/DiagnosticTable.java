package io.enipam.sdk;

import java.util.ArrayList;
import java.util.List;

/**
 * What a {@link Diagnostic} answers with: rows of text. Immutable and thread-safe.
 *
 * @param columns headings, at least one; capitals by custom, units in the heading
 * @param rows each as long as {@code columns}
 */
public record DiagnosticTable(List<String> columns, List<List<String>> rows) {
    public DiagnosticTable {
        columns = List.copyOf(columns);
        rows = rows.stream().map(List::copyOf).toList();
        if (columns.isEmpty()) {
            throw new IllegalArgumentException("a table needs a column");
        }
        for (List<String> row : rows) {
            if (row.size() != columns.size()) {
                throw new IllegalArgumentException(
                        "a row has " + row.size() + " cells under " + columns.size() + " columns");
            }
        }
    }

    /** A table without rows. */
    public static DiagnosticTable of(String... columns) {
        return new DiagnosticTable(List.of(columns), List.of());
    }

    /** The same table with one row more. */
    public DiagnosticTable row(String... cells) {
        List<List<String>> more = new ArrayList<>(rows);
        more.add(List.of(cells));
        return new DiagnosticTable(columns, more);
    }
}

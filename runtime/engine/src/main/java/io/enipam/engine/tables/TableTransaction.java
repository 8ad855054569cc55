package io.enipam.engine.tables;

import io.enipam.engine.model.TableRow;
import io.enipam.sdk.JournalBounds;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Row;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/** One run of a function on one state: what it has read, by path and by prefix, and what it has written. For one thread. */
public final class TableTransaction implements Transaction {
    private final TableState state;
    private final OpenedTables opened;
    private final boolean readOnly;
    private final Set<String> read = new HashSet<>();
    private final Set<String> scanned = new TreeSet<>();
    private final NavigableMap<String, Optional<TableRow>> written = new TreeMap<>();
    private long characters;
    private boolean ended;

    public TableTransaction(TableState state, OpenedTables opened, boolean readOnly) {
        this.state = state;
        this.opened = opened;
        this.readOnly = readOnly;
    }

    /** Runs a function, once. */
    public <R> R run(Function<Transaction, R> function) {
        try {
            return function.apply(this);
        } finally {
            ended = true;
        }
    }

    /** The paths that were read one by one, this transaction's own writes included. */
    public Set<String> read() {
        return Collections.unmodifiableSet(read);
    }

    /** The beginnings of paths that were scanned. */
    public Set<String> scanned() {
        return Collections.unmodifiableSet(scanned);
    }

    /** The paths that were put or deleted, ascending. */
    public Set<String> written() {
        return Collections.unmodifiableSet(written.keySet());
    }

    public boolean writesNothing() {
        return written.isEmpty();
    }

    public int puts() {
        return (int) written.values().stream().filter(Optional::isPresent).count();
    }

    /** The rows written, by path, as the commit of this revision writes them; empty where one is deleted. */
    public Map<String, Optional<TableRow>> writes(long revision) {
        Map<String, Optional<TableRow>> writes = new LinkedHashMap<>();
        written.forEach((path, row) -> writes.put(
                path,
                row.map(put ->
                        new TableRow(put.plugin(), put.table(), put.key(), put.version(), revision, put.value()))));
        return writes;
    }

    /** Whether the result may be another one if this row changes. */
    public boolean touches(String path) {
        return read.contains(path)
                || written.containsKey(path)
                || scanned.stream().anyMatch(path::startsWith);
    }

    @Override
    public <V> Optional<Row<V>> get(Table<V> table, String key) {
        String path = path(table, key);
        read.add(path);
        Optional<TableRow> row =
                written.containsKey(path) ? written.getOrDefault(path, Optional.empty()) : state.row(path);
        return row.map(found -> decoded(table, found));
    }

    @Override
    public <V> Stream<Row<V>> scan(Table<V> table, String prefix) {
        String from = prefix(table) + prefix;
        scanned.add(from);
        Stream<TableRow> rows = state.under(from);
        NavigableMap<String, Optional<TableRow>> own = written.tailMap(from, true);
        if (!own.isEmpty() && own.firstKey().startsWith(from)) {
            NavigableMap<String, TableRow> merged = new TreeMap<>();
            rows.forEach(row -> merged.put(row.path(), row));
            own.entrySet().stream()
                    .takeWhile(write -> write.getKey().startsWith(from))
                    .forEach(write -> write.getValue()
                            .ifPresentOrElse(
                                    put -> merged.put(write.getKey(), put), () -> merged.remove(write.getKey())));
            rows = merged.values().stream();
        }
        return rows.map(row -> decoded(table, row));
    }

    @Override
    public <V> void put(Table<V> table, String key, V value) {
        String path = path(table, key);
        String text = JournalBounds.encoded(table, path, value);
        // the revision is known when the transaction is committed
        write(
                path,
                Optional.of(new TableRow(opened.plugin(), table.name(), key, table.version(), 1, text)),
                text.length());
    }

    @Override
    public void delete(Table<?> table, String key) {
        write(path(table, key), Optional.empty(), 0);
    }

    private void write(String path, Optional<TableRow> row, int length) {
        if (readOnly) {
            throw new IllegalStateException("this transaction only reads; use Journal.commit to write");
        }
        Optional<TableRow> before = written.put(path, row);
        characters += before == null
                ? path.length() + length
                : length - before.map(TableRow::value).map(String::length).orElse(0);
        JournalBounds.written(written.size(), characters);
    }

    private <V> Row<V> decoded(Table<V> table, TableRow row) {
        boolean own = written.containsKey(row.path());
        return new Row<>(row.key(), read(table, row), own ? 0 : row.revision());
    }

    /** @throws JournalException if the row is of a newer version, or the codec fails */
    static <V> V read(Table<V> table, TableRow row) {
        return JournalBounds.decoded(table, row.path(), row.version(), row.value());
    }

    private String path(Table<?> table, String key) {
        return prefix(table) + JournalBounds.key(key);
    }

    private String prefix(Table<?> table) {
        if (ended) {
            throw new IllegalStateException("the transaction has ended: its function has returned");
        }
        return opened.required(table);
    }
}

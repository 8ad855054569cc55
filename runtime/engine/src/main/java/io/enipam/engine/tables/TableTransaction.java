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
import java.util.function.Supplier;
import java.util.stream.Stream;

/** One run of a function on one state: what it has read, by path and by prefix, and what it has written. For one thread. */
public final class TableTransaction implements Transaction {
    private final TableState state;
    private final OpenedTables opened;
    private final boolean readOnly;
    private final Set<String> read = new HashSet<>();
    private final Set<String> scanned = new TreeSet<>();
    private final NavigableMap<String, Optional<Put>> written = new TreeMap<>();
    private long characters;
    private boolean ended;

    /** A row that is put, whose revision is known when the transaction is committed. */
    private record Put(String table, String key, int version, String text) {}

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
                        new TableRow(opened.plugin(), put.table(), put.key(), put.version(), revision, put.text()))));
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
        return written.containsKey(path)
                ? written.getOrDefault(path, Optional.empty()).map(put -> own(table, path, put))
                : state.row(path)
                        .map(row -> new Row<>(row.key(), opened.recent().read(path, table, row), row.revision()));
    }

    @Override
    public <V> Stream<Row<V>> scan(Table<V> table, String prefix) {
        String from = prefix(table) + prefix;
        scanned.add(from);
        Stream<TableRow> rows = state.under(from);
        NavigableMap<String, Optional<Put>> own = written.tailMap(from, true);
        if (own.isEmpty() || !own.firstKey().startsWith(from)) {
            return rows.map(row -> decoded(table, row));
        }
        NavigableMap<String, Supplier<Row<V>>> merged = new TreeMap<>();
        rows.forEach(row -> merged.put(row.path(), () -> decoded(table, row)));
        own.entrySet().stream()
                .takeWhile(write -> write.getKey().startsWith(from))
                .forEach(write -> write.getValue()
                        .ifPresentOrElse(
                                put -> merged.put(write.getKey(), () -> own(table, write.getKey(), put)),
                                () -> merged.remove(write.getKey())));
        return merged.values().stream().map(Supplier::get);
    }

    /** Without keeping the value: a scan of many rows would leave nothing else. */
    private <V> Row<V> decoded(Table<V> table, TableRow row) {
        V value = opened.recent().of(row.path(), table, row).orElseGet(() -> read(table, row));
        return new Row<>(row.key(), value, row.revision());
    }

    private static <V> Row<V> own(Table<V> table, String path, Put put) {
        return new Row<>(put.key(), JournalBounds.decoded(table, path, put.version(), put.text()), 0);
    }

    @Override
    public <V> void put(Table<V> table, String key, V value) {
        String path = path(table, key);
        String text = JournalBounds.encoded(table, path, value);
        write(path, Optional.of(new Put(table.name(), key, table.version(), text)), text.length());
    }

    @Override
    public void delete(Table<?> table, String key) {
        write(path(table, key), Optional.empty(), 0);
    }

    private void write(String path, Optional<Put> row, int length) {
        if (readOnly) {
            throw new IllegalStateException("this transaction only reads; use Journal.commit to write");
        }
        Optional<Put> before = written.put(path, row);
        characters += before == null
                ? path.length() + length
                : length - before.map(Put::text).map(String::length).orElse(0);
        JournalBounds.written(written.size(), characters);
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

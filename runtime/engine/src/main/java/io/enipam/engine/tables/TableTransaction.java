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
    private final Map<String, Optional<Put<?>>> written = new LinkedHashMap<>();
    private long characters;
    private boolean ended;

    /**
     * A row that is put, whose revision is known when the transaction is committed.
     *
     * @param value if its table's codec keeps values, which are encoded once, when the function is through
     * @param text empty until then
     */
    private record Put<V>(Table<V> table, String key, Optional<V> value, String text) {
        /** @throws JournalException if no row can have it */
        static <V> Put<V> of(Table<V> table, String path, String key, V value) {
            return table.codec().keepsValues()
                    ? new Put<>(table, key, Optional.of(value), "")
                    : new Put<>(table, key, Optional.empty(), JournalBounds.encoded(table, path, value));
        }

        Put<V> encoded(String path) {
            return value.map(kept -> new Put<>(table, key, value, JournalBounds.encoded(table, path, kept)))
                    .orElse(this);
        }

        TableRow row(String plugin, long revision) {
            return new TableRow(plugin, table.name(), key, table.version(), revision, text);
        }
    }

    public TableTransaction(TableState state, OpenedTables opened, boolean readOnly) {
        this.state = state;
        this.opened = opened;
        this.readOnly = readOnly;
    }

    /**
     * Runs a function, once.
     *
     * @throws JournalException also if a value that it has put cannot be written
     */
    public <R> R run(Function<Transaction, R> function) {
        try {
            R result = function.apply(this);
            written.replaceAll((path, row) -> row.map(put -> encoded(path, put)));
            return result;
        } finally {
            ended = true;
        }
    }

    private Put<?> encoded(String path, Put<?> put) {
        Put<?> encoded = put.encoded(path);
        characters += encoded.text().length() - put.text().length();
        JournalBounds.written(written.size(), characters);
        return encoded;
    }

    /** The paths that were read one by one, this transaction's own writes included. */
    public Set<String> read() {
        return Collections.unmodifiableSet(read);
    }

    /** The beginnings of paths that were scanned. */
    public Set<String> scanned() {
        return Collections.unmodifiableSet(scanned);
    }

    /** The paths that were put or deleted. */
    public Set<String> written() {
        return Collections.unmodifiableSet(written.keySet());
    }

    public boolean writesNothing() {
        return written.isEmpty();
    }

    /** How many rows it puts that were not there. One that it puts without having got it counts: nobody has looked for it. */
    public int added() {
        return (int) written.entrySet().stream()
                .filter(row -> row.getValue().isPresent())
                .map(Map.Entry::getKey)
                .filter(path -> !read.contains(path) || state.row(path).isEmpty())
                .count();
    }

    /** The rows written, by path, as the commit of this revision writes them; empty where one is deleted. */
    public Map<String, Optional<TableRow>> writes(long revision) {
        Map<String, Optional<TableRow>> writes = new LinkedHashMap<>();
        written.forEach((path, row) -> {
            row.ifPresent(put -> put.value()
                    .ifPresent(value -> opened.recent().keep(path, put.table().version(), put.text(), value)));
            writes.put(path, row.map(put -> put.row(opened.plugin(), revision)));
        });
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
        Optional<Put<?>> own = written.get(path);
        return own != null
                ? own.map(put -> own(table, path, put))
                : state.row(path)
                        .map(row -> new Row<>(row.key(), opened.recent().read(path, table, row), row.revision()));
    }

    @Override
    public <V> Stream<Row<V>> scan(Table<V> table, String prefix) {
        String from = prefix(table) + prefix;
        scanned.add(from);
        Stream<TableRow> rows = state.under(from);
        if (written.keySet().stream().noneMatch(path -> path.startsWith(from))) {
            return rows.map(row -> decoded(table, row));
        }
        Map<String, Supplier<Row<V>>> merged = new TreeMap<>();
        rows.forEach(row -> merged.put(row.path(), () -> decoded(table, row)));
        written.forEach((path, write) -> {
            if (path.startsWith(from)) {
                write.ifPresentOrElse(put -> merged.put(path, () -> own(table, path, put)), () -> merged.remove(path));
            }
        });
        return merged.values().stream().map(Supplier::get);
    }

    /** Without keeping the value: a scan of many rows would leave nothing else. */
    private <V> Row<V> decoded(Table<V> table, TableRow row) {
        V value = opened.recent().of(row.path(), table, row).orElseGet(() -> read(table, row));
        return new Row<>(row.key(), value, row.revision());
    }

    @SuppressWarnings("unchecked") // a path is of one table, whose codec has one type
    private static <V> Row<V> own(Table<V> table, String path, Put<?> put) {
        V value = ((Put<V>) put)
                .value()
                .orElseGet(() -> JournalBounds.decoded(table, path, put.table().version(), put.text()));
        return new Row<>(put.key(), value, 0);
    }

    @Override
    public <V> void put(Table<V> table, String key, V value) {
        String path = path(table, key);
        write(path, Optional.of(Put.of(table, path, key, value)));
    }

    @Override
    public void delete(Table<?> table, String key) {
        write(path(table, key), Optional.empty());
    }

    private void write(String path, Optional<Put<?>> row) {
        if (readOnly) {
            throw new IllegalStateException("this transaction only reads; use Journal.commit to write");
        }
        Optional<Put<?>> before = written.put(path, row);
        characters += before == null ? path.length() : -length(before);
        characters += length(row);
        JournalBounds.written(written.size(), characters);
    }

    private static int length(Optional<Put<?>> row) {
        return row.map(put -> put.text().length()).orElse(0);
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

package io.enipam.sdk.testkit;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalBounds;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Row;
import io.enipam.sdk.Source;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A plugin's journal in memory, for tests: transactions run one after the other, and are durable at once. Watches are told by a thread
 * that commits, before its commit returns; of what a watch commits meanwhile they are told when it is through. Thread-safe; a watch must not wait
 * for another thread's commit.
 *
 * <p>{@link #failing} makes commits fail as on a full disk, and {@link #reopened} is what the plugin finds after a restart.
 */
public final class InMemoryJournal implements Journal {
    private final NavigableMap<String, Stored> rows; // by this
    private final Map<String, Table<?>> opened = new HashMap<>(); // by this
    private long revision; // by this
    private boolean failing; // by this
    private final List<Watch> watches = new CopyOnWriteArrayList<>();
    /** What is to be told, in the order of the commits; taken out under {@link #telling}. */
    private final Queue<Runnable> untold = new ConcurrentLinkedQueue<>();

    private final ReentrantLock telling = new ReentrantLock();

    private record Watch(String prefix, Source.Sink sink) {}

    /** @param text as the codec wrote it */
    private record Stored(String key, int version, long revision, String text) {}

    public InMemoryJournal() {
        this(new TreeMap<>(), 0);
    }

    private InMemoryJournal(NavigableMap<String, Stored> rows, long revision) {
        this.rows = rows;
        this.revision = revision;
    }

    /** A journal with the same rows, of which no table was opened yet. */
    public synchronized InMemoryJournal reopened() {
        return new InMemoryJournal(new TreeMap<>(rows), revision);
    }

    /** From now on commits fail with {@link ErrorKind#UNAVAILABLE}, or work again. */
    public synchronized void failing(boolean failing) {
        this.failing = failing;
    }

    @Override
    public synchronized void open(Table<?> table) {
        under(rows, table.name() + "/").forEach(row -> read(table, row));
        Table<?> known = opened.putIfAbsent(table.name(), table);
        if (known != null && !known.equals(table)) {
            throw new JournalException(ErrorKind.INTERNAL, "table " + table.name() + " was opened differently before");
        }
    }

    @Override
    public <R> CompletionStage<R> commit(Function<Transaction, R> change) {
        CompletionStage<R> committed = committed(change);
        tell();
        return committed;
    }

    /** Not under the journal's lock: a sink may read, and commit. Returns when all that was committed before is reported. */
    private void tell() {
        if (telling.isHeldByCurrentThread()) {
            return; // a sink commits: its caller goes on with it
        }
        telling.lock();
        try {
            for (Runnable next = untold.poll(); next != null; next = untold.poll()) {
                next.run();
            }
        } finally {
            telling.unlock();
        }
    }

    private synchronized <R> CompletionStage<R> committed(Function<Transaction, R> change) {
        try {
            Attempt attempt = new Attempt(false);
            R result = attempt.run(change);
            if (failing && !attempt.written.isEmpty()) {
                throw new JournalException(ErrorKind.UNAVAILABLE, "the disk is full");
            }
            attempt.changed().forEach(this::toTell);
            attempt.apply();
            return CompletableFuture.completedStage(result);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedStage(e);
        }
    }

    private void toTell(String path) {
        for (Watch watch : watches) {
            if (path.startsWith(watch.prefix())) {
                untold.add(() -> {
                    if (watches.contains(watch)) {
                        watch.sink().changed(path.substring(watch.prefix().length()));
                    }
                });
            }
        }
    }

    @Override
    public AutoCloseable watch(Table<?> table, Source.Sink sink) {
        Watch watch = new Watch(table.name() + "/", sink);
        synchronized (this) {
            requireOpened(table);
            under(rows, watch.prefix()).toList().forEach(row -> untold.add(() -> sink.changed(row.key())));
            untold.add(sink::synced);
            watches.add(watch);
        }
        tell();
        return () -> watches.removeIf(one -> one == watch);
    }

    /** By this. */
    private void requireOpened(Table<?> table) {
        if (!table.equals(opened.get(table.name()))) {
            throw new JournalException(ErrorKind.MISCONFIGURED, "table " + table.name() + " was not opened");
        }
    }

    @Override
    public synchronized <R> R read(Function<Transaction, R> query) {
        return new Attempt(true).run(query);
    }

    private static Stream<Stored> under(NavigableMap<String, Stored> rows, String prefix) {
        return rows.tailMap(prefix, true).entrySet().stream()
                .takeWhile(row -> row.getKey().startsWith(prefix))
                .map(Map.Entry::getValue);
    }

    private static <V> V read(Table<V> table, Stored row) {
        return JournalBounds.decoded(table, table.name() + "/" + row.key(), row.version(), row.text());
    }

    /** By the journal. */
    private final class Attempt implements Transaction {
        private final NavigableMap<String, Stored> seen = new TreeMap<>(rows);
        private final Map<String, Optional<Stored>> written = new HashMap<>();
        private final boolean readOnly;
        private long characters;
        private boolean ended;

        Attempt(boolean readOnly) {
            this.readOnly = readOnly;
        }

        <R> R run(Function<Transaction, R> function) {
            try {
                return function.apply(this);
            } finally {
                ended = true;
            }
        }

        /** The paths whose row is not there any more, or is another one. */
        List<String> changed() {
            return written.entrySet().stream()
                    .filter(write ->
                            !text(write.getValue()).equals(text(Optional.ofNullable(rows.get(write.getKey())))))
                    .map(Map.Entry::getKey)
                    .toList();
        }

        private static Optional<String> text(Optional<Stored> row) {
            return row.map(stored -> stored.version() + " " + stored.text());
        }

        void apply() {
            revision += written.isEmpty() ? 0 : 1;
            written.forEach((path, row) -> row.ifPresentOrElse(
                    put -> rows.put(path, new Stored(put.key(), put.version(), revision, put.text())),
                    () -> rows.remove(path)));
        }

        @Override
        public <V> Optional<Row<V>> get(Table<V> table, String key) {
            return Optional.ofNullable(seen.get(path(table, key))).map(row -> row(table, row));
        }

        @Override
        public <V> Stream<Row<V>> scan(Table<V> table, String prefix) {
            // a copy, since the transaction may write while it reads
            return under(new TreeMap<>(seen), prefix(table) + prefix).map(row -> row(table, row));
        }

        private <V> Row<V> row(Table<V> table, Stored row) {
            return new Row<>(row.key(), InMemoryJournal.read(table, row), row.revision());
        }

        @Override
        public <V> void put(Table<V> table, String key, V value) {
            String path = path(table, key);
            String text = JournalBounds.encoded(table, path, value);
            boolean asSaid = !table.codec().keepsValues()
                    || value.equals(JournalBounds.decoded(table, path, table.version(), text));
            if (!asSaid) {
                throw new IllegalStateException("the codec of table " + table.name()
                        + " says that it keeps values, and reads another one than it has written: " + value);
            }
            Stored row = new Stored(key, table.version(), 0, text);
            write(path, Optional.of(row), text.length());
            seen.put(path, row);
        }

        @Override
        public void delete(Table<?> table, String key) {
            String path = path(table, key);
            write(path, Optional.empty(), 0);
            seen.remove(path);
        }

        private void write(String path, Optional<Stored> row, int length) {
            if (readOnly) {
                throw new IllegalStateException("this transaction only reads");
            }
            written.put(path, row);
            characters += path.length() + length;
            JournalBounds.written(written.size(), characters);
        }

        private String path(Table<?> table, String key) {
            return prefix(table) + JournalBounds.key(key);
        }

        private String prefix(Table<?> table) {
            if (ended) {
                throw new IllegalStateException("the transaction has ended");
            }
            requireOpened(table);
            return table.name() + "/";
        }
    }
}

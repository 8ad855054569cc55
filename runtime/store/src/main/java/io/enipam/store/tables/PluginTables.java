package io.enipam.store.tables;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.TableRow;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.tables.TableState;
import io.enipam.engine.tables.TableTransaction;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalBounds;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Source.Sink;
import io.enipam.store.paths.PathMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/**
 * The tables of all plugins. Thread-safe.
 *
 * <p>Optimistic concurrency: a transaction reads an immutable copy of the last durable state, and notes what it read. It is
 * committed if none of that, nor what it writes, was changed since or is being changed by a commit that is on its way to the
 * disk. Else it runs again, once that commit has ended. So commits that have nothing in common share a force of the disk, and one
 * that builds on another waits for it: a commit that fails takes no other one along.
 */
public final class PluginTables {
    /** Commits that a transaction may be behind; one that is older runs again. */
    private static final int REMEMBERED = 4096;

    private final ResourceDb db;
    private final int mostRows;
    private volatile Committed committed;
    private long revision; // by this
    /** What commits that are not durable yet write, and when each has ended. */
    private PathMap<CompletableFuture<?>> pending = PathMap.empty(); // by this

    private final Deque<Applied> applied = new ArrayDeque<>(); // by this, ascending by number
    /** By the prefix of a table's rows; no list is empty. */
    private final Map<String, List<TableWatch>> watches = new HashMap<>(); // by this

    /** @param number of commits that were applied before */
    record Committed(long number, PathMap<TableRow> rows) implements TableState {
        @Override
        public Optional<TableRow> row(String path) {
            return rows.get(path);
        }

        @Override
        public Stream<TableRow> under(String prefix) {
            return rows.under(prefix);
        }

        int count(String plugin) {
            return rows.size(plugin + "/");
        }
    }

    /** A commit in the state with this number. */
    private record Applied(long number, Iterable<String> paths) {}

    /** What became of an attempt: when it is durable, or when to try again. */
    sealed interface Attempt {
        record Begun(CompletionStage<Void> durable) implements Attempt {}

        record Conflict(CompletionStage<?> over) implements Attempt {}
    }

    /** Reads the rows that there are; a row that no plugin of today has opened stays as it is. */
    public PluginTables(ResourceDb db) {
        this(db, JournalBounds.MOST_ROWS);
    }

    /** @param mostRows that the tables of one plugin have together */
    PluginTables(ResourceDb db, int mostRows) {
        this.db = db;
        this.mostRows = mostRows;
        PathMap.Edit<TableRow> rows = PathMap.<TableRow>empty().edit();
        for (TableRow row : db.rows()) {
            rows.put(row.path(), row);
            revision = Math.max(revision, row.revision());
        }
        this.committed = new Committed(0, rows.done());
    }

    /**
     * The tables of one plugin.
     *
     * @param plugin its id
     * @param threads runs the plugin's functions when they are to run again, and completes its stages
     */
    public Journal of(String plugin, Executor threads) {
        return new PluginJournal(this, plugin, threads);
    }

    Committed committed() {
        return committed;
    }

    /** Begins to tell the keys of the rows with a prefix, on the calling thread and then on the given ones. */
    TableWatch watch(String prefix, Sink sink, Executor threads) {
        TableWatch watch = new TableWatch(prefix, sink, threads, this::forget);
        Committed now;
        synchronized (this) {
            watches.computeIfAbsent(prefix, none -> new ArrayList<>()).add(watch);
            now = committed;
        }
        try {
            watch.begin(now);
            return watch;
        } catch (RuntimeException | Error e) {
            watch.close();
            throw e;
        }
    }

    private synchronized void forget(TableWatch watch) {
        watches.computeIfPresent(watch.prefix(), (prefix, all) -> {
            all.remove(watch);
            return all.isEmpty() ? null : all;
        });
    }

    /**
     * Commits what a transaction has written, unless it conflicts.
     *
     * @param seen the state that it has read
     * @throws JournalException {@link ErrorKind#QUOTA_EXHAUSTED} if the plugin would have too many rows
     */
    synchronized Attempt attempt(TableTransaction transaction, Committed seen, String plugin) {
        if (changedSince(seen.number(), transaction)) {
            return new Attempt.Conflict(CompletableFuture.completedStage(null));
        }
        Optional<CompletableFuture<?>> before = pendingFor(transaction);
        if (before.isPresent()) {
            return new Attempt.Conflict(before.get());
        }
        int added = transaction.added();
        if (added > 0 && committed.count(plugin) + pending.size("") + added > mostRows) {
            throw new JournalException(
                    ErrorKind.QUOTA_EXHAUSTED,
                    "the tables of plugin " + plugin + " have " + committed.count(plugin) + " rows, and " + mostRows
                            + " are allowed: delete what is not needed any more");
        }
        return new Attempt.Begun(begin(transaction.writes(++revision)));
    }

    private boolean changedSince(long seen, TableTransaction transaction) {
        if (committed.number() - seen > applied.size()) {
            return true; // it cannot be told any more
        }
        Iterator<Applied> newest = applied.descendingIterator();
        while (newest.hasNext()) {
            Applied commit = newest.next();
            if (commit.number() <= seen) {
                return false;
            }
            for (String path : commit.paths()) {
                if (transaction.touches(path)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** A commit on its way that changes what the transaction has read or writes: when it has ended. By this. */
    private Optional<CompletableFuture<?>> pendingFor(TableTransaction transaction) {
        Stream<String> paths = Stream.concat(transaction.read().stream(), transaction.written().stream());
        return Stream.<CompletableFuture<?>>concat(
                        paths.flatMap(path -> pending.get(path).stream()),
                        transaction.scanned().stream().flatMap(pending::under))
                .findFirst();
    }

    /** By this. */
    private CompletionStage<Void> begin(Map<String, Optional<TableRow>> writes) {
        List<Change> changes = new ArrayList<>();
        writes.forEach((path, row) ->
                changes.add(row.<Change>map(Change.PutRow::new).orElseGet(() -> new Change.RemoveRow(path))));
        if (writes.values().stream().noneMatch(Optional::isPresent)) {
            // no revision comes again after a restart, also when no row has the last one
            changes.add(new Change.PutRow(new TableRow("builtin", "journal", "revision", 1, revision, "{}")));
        }
        CompletableFuture<Void> ended = new CompletableFuture<>();
        PathMap.Edit<CompletableFuture<?>> more = pending.edit();
        writes.keySet().forEach(path -> more.put(path, ended));
        pending = more.done();
        Stages.call(() -> db.commit(changes)).whenComplete((durable, failure) -> {
            List<TableWatch> due = settle(writes, failure == null);
            Stages.pass(ended, null, failure);
            due.forEach(TableWatch::tellLater);
        });
        return ended;
    }

    /** Returns the watches that are to tell what they have got. */
    private synchronized List<TableWatch> settle(Map<String, Optional<TableRow>> writes, boolean durable) {
        PathMap.Edit<CompletableFuture<?>> left = pending.edit();
        writes.keySet().forEach(left::remove);
        pending = left.done();
        if (!durable) {
            return List.of();
        }
        Committed old = committed;
        PathMap.Edit<TableRow> rows = old.rows().edit();
        writes.forEach((path, row) -> row.ifPresentOrElse(present -> rows.put(path, present), () -> rows.remove(path)));
        committed = new Committed(old.number() + 1, rows.done());
        applied.add(new Applied(committed.number(), writes.keySet()));
        if (applied.size() > REMEMBERED) {
            applied.remove();
        }
        return watches.isEmpty() ? List.of() : added(writes, old);
    }

    /** By this. */
    private List<TableWatch> added(Map<String, Optional<TableRow>> writes, Committed old) {
        Map<String, List<String>> changed = new HashMap<>(); // the keys of each table, by the prefix of its rows
        writes.forEach((path, row) -> {
            String table = path.substring(0, path.indexOf('/', path.indexOf('/') + 1) + 1);
            if (watches.containsKey(table) && !TableWatch.same(old.row(path), row)) {
                changed.computeIfAbsent(table, none -> new ArrayList<>()).add(path.substring(table.length()));
            }
        });
        List<TableWatch> due = new ArrayList<>();
        changed.forEach((table, keys) -> watches.getOrDefault(table, List.of()).stream()
                .filter(watch -> watch.add(keys, old, committed))
                .forEach(due::add));
        return due;
    }
}

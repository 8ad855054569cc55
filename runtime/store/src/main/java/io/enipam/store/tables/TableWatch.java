package io.enipam.store.tables;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.model.TableRow;
import io.enipam.sdk.Source.Sink;
import io.enipam.store.tables.PluginTables.Committed;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells a sink the keys of one table's rows, and then those of each commit. Thread-safe.
 *
 * <p>A commit adds its keys to those that wait, in the order of the commits, since {@link PluginTables} calls under its lock. One
 * thread of the plugin's at a time tells them: {@code telling} is true while it does, or is about to. So no commit waits for a sink.
 * When more than {@link #MOST_WAITING} keys wait, they are dropped, and what is told next is the difference between the state before
 * the first of them and the state of now: both are immutable, and that of before is kept no longer than anything waits.
 */
final class TableWatch implements AutoCloseable {
    static final int MOST_WAITING = 4096;

    private final String prefix;
    private final Sink sink;
    private final Executor threads;
    private final Consumer<TableWatch> ended;

    @GuardedBy("this")
    private Set<String> waiting = new LinkedHashSet<>();

    /** The state before all that waits; null if nothing does. */
    @GuardedBy("this")
    private @Nullable Committed before;

    @GuardedBy("this")
    private @Nullable Committed latest;

    @GuardedBy("this")
    private boolean tooMany;

    @GuardedBy("this")
    private boolean telling = true;

    private volatile boolean closed;

    /** What is to be told: keys, or where there were too many, the difference between two states. */
    private record Due(Set<String> keys, Optional<Difference> difference) {}

    private record Difference(Committed before, Committed now) {}

    /**
     * @param prefix of the table's rows
     * @param ended called when it is closed
     */
    TableWatch(String prefix, Sink sink, Executor threads, Consumer<TableWatch> ended) {
        this.prefix = prefix;
        this.sink = sink;
        this.threads = threads;
        this.ended = ended;
    }

    String prefix() {
        return prefix;
    }

    /** Tells the rows of the state in which it was registered, on the calling thread; what came meanwhile follows on the plugin's. */
    void begin(Committed state) {
        state.under(prefix).takeWhile(row -> !closed).forEach(row -> sink.changed(row.key()));
        sink.synced();
        tellLater();
    }

    /**
     * A commit is durable.
     *
     * @param keys of the rows of this table that it changes, at least one
     * @param old the state before it
     * @param now the state with it
     * @return whether {@link #tellLater} is to be called, not under a lock
     */
    synchronized boolean add(List<String> keys, Committed old, Committed now) {
        if (closed) {
            return false;
        }
        before = before == null ? old : before;
        latest = now;
        if (!tooMany) {
            waiting.addAll(keys);
            tooMany = waiting.size() > MOST_WAITING;
        }
        if (tooMany) {
            waiting = new LinkedHashSet<>();
        }
        boolean due = !telling;
        telling = true;
        return due;
    }

    /** Whether a row is as it was, or as little there. */
    static boolean same(Optional<TableRow> old, Optional<TableRow> now) {
        return now.isPresent() ? old.filter(row -> same(row, now.get())).isPresent() : old.isEmpty();
    }

    private static boolean same(TableRow old, TableRow now) {
        return old.version() == now.version() && old.value().equals(now.value());
    }

    void tellLater() {
        try {
            threads.execute(this::tell);
        } catch (RejectedExecutionException e) {
            close(); // the plugin is closed
        }
    }

    private void tell() {
        try {
            for (Optional<Due> next = next(); next.isPresent(); next = next()) {
                tell(next.get());
            }
        } catch (RuntimeException | Error e) { // else it would be silent for ever, and the plugin not know
            close();
            sink.lost("what it was told failed: " + e);
        }
    }

    private synchronized Optional<Due> next() {
        if (closed || before == null || latest == null) {
            telling = false;
            return Optional.empty();
        }
        Due due = new Due(waiting, tooMany ? Optional.of(new Difference(before, latest)) : Optional.empty());
        waiting = new LinkedHashSet<>();
        tooMany = false;
        before = null;
        latest = null;
        return Optional.of(due);
    }

    private void tell(Due due) {
        for (String key : due.keys()) {
            if (closed) {
                return;
            }
            sink.changed(key);
        }
        due.difference()
                .ifPresent(states -> tellDifference(
                        states.before().under(prefix).iterator(),
                        states.now().under(prefix).iterator()));
    }

    /** Both are ascending by key. */
    private void tellDifference(Iterator<TableRow> olds, Iterator<TableRow> nows) {
        @Nullable TableRow old = next(olds);
        @Nullable TableRow now = next(nows);
        while (!closed && (old != null || now != null)) {
            int order = old == null ? 1 : now == null ? -1 : old.key().compareTo(now.key());
            if (now == null || order < 0) {
                sink.changed(old.key());
            } else if (old == null || order > 0 || !same(old, now)) {
                sink.changed(now.key());
            }
            old = order <= 0 ? next(olds) : old;
            now = order >= 0 ? next(nows) : now;
        }
    }

    private static @Nullable TableRow next(Iterator<TableRow> rows) {
        return rows.hasNext() ? rows.next() : null;
    }

    /** Tells nothing more, but for a key that is being told. */
    @Override
    public void close() {
        closed = true;
        synchronized (this) {
            waiting = new LinkedHashSet<>();
            before = null;
            latest = null;
        }
        ended.accept(this);
    }
}

package io.enipam.engine.simulation;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LeaseEnd;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.model.TableRow;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.DbBusyException;
import io.enipam.engine.port.ResourceDb.DbTrouble;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.Span;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A database in memory. Each commit takes the time that its owner says; what was not committed by a {@link #crash} is lost, what was
 * is there for the next engine. Thread-safe.
 */
public final class MemoryDb implements ResourceDb {
    private final Map<OwnerKey, Lease> leases = new TreeMap<>();
    private final Map<String, Hold> holds = new TreeMap<>();
    private final List<LeaseEnd> ends = new ArrayList<>();
    private List<Hold> foreignHolds = List.of();
    private final Map<String, Intent> intents = new TreeMap<>();
    private final Map<String, CloudJournal.Entry> operations = new TreeMap<>();
    private final Map<String, PodCopy> pods = new TreeMap<>();
    private final Map<String, TableRow> rows = new TreeMap<>();
    private Optional<NodeRecord> node = Optional.empty();
    private final Scheduler scheduler;
    private final Supplier<Duration> latency;
    private final List<Consumer<Optional<DbTrouble>>> watchers = new ArrayList<>();
    private Optional<DbTrouble> trouble = Optional.empty();
    private boolean broken;
    private boolean busy;
    private int epoch;
    private int commits;
    private CompletableFuture<Void> tail = CompletableFuture.completedFuture(null);

    /** Each commit is durable after the latency, in the order of the calls. */
    public MemoryDb(Scheduler scheduler, Supplier<Duration> latency) {
        this.scheduler = scheduler;
        this.latency = latency;
    }

    /** From now on, commits fail, or work again. */
    public synchronized void broken(boolean broken) {
        this.broken = broken;
    }

    /** From now on commits fail, and the database says so before they are tried; or all is well again. */
    public void inTrouble(Optional<DbTrouble> why) {
        List<Consumer<Optional<DbTrouble>>> all;
        synchronized (this) {
            broken = why.isPresent();
            trouble = why;
            all = List.copyOf(watchers);
        }
        all.forEach(watcher -> watcher.accept(why));
    }

    @Override
    public synchronized Optional<DbTrouble> trouble() {
        return trouble;
    }

    @Override
    public void watch(Consumer<Optional<DbTrouble>> watcher) {
        Optional<DbTrouble> now;
        synchronized (this) {
            watchers.add(watcher);
            now = trouble;
        }
        if (now.isPresent()) {
            watcher.accept(now);
        }
    }

    /** From now on no commit is taken, for too many wait; or they are again. */
    public synchronized void busy(boolean busy) {
        this.busy = busy;
    }

    /** From now on there are these holds, too, as if something else had written them. */
    public synchronized void foreignHolds(List<Hold> holds) {
        foreignHolds = List.copyOf(holds);
    }

    /** Forgets every commit that was not durable yet. */
    public synchronized void crash() {
        epoch++;
        tail = CompletableFuture.completedFuture(null);
    }

    /** Forgets all of it, as a disk that was wiped does. */
    public synchronized void lose() {
        crash();
        leases.clear();
        holds.clear();
        intents.clear();
        operations.clear();
        pods.clear();
        rows.clear();
        node = Optional.empty();
    }

    /** How many commits became durable. */
    public synchronized int commits() {
        return commits;
    }

    /** Why leases ended, in the order of the commits. */
    public synchronized List<LeaseEnd> ends() {
        return List.copyOf(ends);
    }

    @Override
    public synchronized Contents contents() {
        return new Contents(
                List.copyOf(leases.values()),
                Stream.concat(holds.values().stream(), foreignHolds.stream()).toList(),
                List.copyOf(intents.values()),
                List.copyOf(operations.values()),
                List.copyOf(pods.values()),
                node);
    }

    @Override
    public synchronized List<TableRow> rows() {
        return List.copyOf(rows.values());
    }

    @Override
    public synchronized CompletionStage<Void> commit(List<Change> changes, Span span) {
        if (busy) {
            return CompletableFuture.failedFuture(new DbBusyException("too many commits wait for the disk"));
        }
        int mine = epoch;
        CompletableFuture<Void> durable = new CompletableFuture<>();
        CompletableFuture<Void> before = tail;
        tail = durable.handle((done, error) -> null);
        before.whenComplete((done, error) -> scheduler.after(latency.get(), () -> {
            Throwable failure = write(changes, mine);
            if (failure == null) {
                durable.complete(null);
            } else if (failure instanceof IOException) {
                durable.completeExceptionally(failure);
            }
        }));
        return durable;
    }

    /** @return null if written; an IOException if the disk said no; another error if a crash came first */
    private synchronized @Nullable Throwable write(List<Change> changes, int mine) {
        if (mine != epoch) {
            return new IllegalStateException("crashed");
        }
        if (broken) {
            return new IOException("No space left on device");
        }
        changes.forEach(this::apply);
        commits++;
        return null;
    }

    private void apply(Change change) {
        if (change instanceof Change.PutLease put) {
            leases.put(put.lease().owner(), put.lease());
        } else if (change instanceof Change.RemoveLease remove) {
            if (leases.remove(remove.owner()) != null) {
                remove.end().ifPresent(ends::add);
            }
        } else if (change instanceof Change.PutHold put) {
            holds.put(ResourceKey.of(put.hold().resource()).path(), put.hold());
        } else if (change instanceof Change.RemoveHold remove) {
            holds.remove(remove.resource().path());
        } else if (change instanceof Change.PutIntent put) {
            intents.put(put.intent().key(), put.intent());
        } else if (change instanceof Change.RemoveIntent remove) {
            intents.remove(remove.key());
        } else if (change instanceof Change.PutOperation put) {
            operations.put(put.entry().id(), put.entry());
        } else if (change instanceof Change.RemoveOperation remove) {
            operations.remove(remove.id());
        } else if (change instanceof Change.PutPod put) {
            pods.put(put.copy().pod().ref().toString(), put.copy());
        } else if (change instanceof Change.RemovePod remove) {
            pods.remove(remove.pod().toString());
        } else if (change instanceof Change.PutRow put) {
            rows.put(put.row().path(), put.row());
        } else if (change instanceof Change.RemoveRow remove) {
            rows.remove(remove.path());
        } else if (change instanceof Change.PutNode put) {
            node = Optional.of(put.node());
        }
    }

    @Override
    public synchronized List<RawRecord> records() {
        List<RawRecord> records = new ArrayList<>();
        leases.forEach((key, lease) -> records.add(new RawRecord("leases", key.toString(), quoted(lease))));
        holds.forEach((key, hold) -> records.add(new RawRecord(
                hold.purpose() == Hold.Purpose.RESERVED ? "reservations" : "quarantine", key, quoted(hold))));
        intents.forEach((key, intent) -> records.add(new RawRecord("intents", key, quoted(intent))));
        operations.forEach((key, entry) -> records.add(new RawRecord("operations", key, quoted(entry))));
        pods.forEach((key, copy) -> records.add(new RawRecord("pods", key, quoted(copy))));
        rows.forEach((path, row) -> records.add(new RawRecord("tables", path, quoted(row))));
        records.sort(Comparator.comparing(RawRecord::bucket).thenComparing(RawRecord::key));
        return records;
    }

    private static String quoted(Object value) {
        return "\"" + value.toString().replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    @Override
    public void close() {}
}

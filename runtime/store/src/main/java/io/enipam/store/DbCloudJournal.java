package io.enipam.store;

import io.enipam.engine.port.Change;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.ResourceDb;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The journal of cloud operations in the resource database, so that one disk, one order and one group commit serve both.
 * Thread-safe.
 *
 * <p>Ends that are not acknowledged yet are repeated with every commit of this journal: one that the disk refused is made up
 * for by the next begin, before the cloud is asked for anything new.
 */
public final class DbCloudJournal implements CloudJournal {
    private final Supplier<? extends ResourceDb> db;
    private final Set<String> endsUnderWay = new LinkedHashSet<>(); // by this

    /** @param db closed by its owner; asked for with each use, and the first may wait until the database is open */
    public DbCloudJournal(Supplier<? extends ResourceDb> db) {
        this.db = db;
    }

    @Override
    public CompletionStage<Void> begin(Entry entry) {
        return commit(endsAnd(List.of(new Change.PutOperation(entry))));
    }

    @Override
    public void end(String id) {
        List<Change> changes;
        synchronized (this) {
            // in one step: another commit may bring this end to the disk before it is asked what there is
            endsUnderWay.add(id);
            changes = endsAnd(List.of());
        }
        commit(changes);
    }

    private synchronized List<Change> endsAnd(List<Change> further) {
        List<Change> changes = new ArrayList<>();
        endsUnderWay.forEach(id -> changes.add(new Change.RemoveOperation(id)));
        changes.addAll(further);
        return changes;
    }

    private CompletionStage<Void> commit(List<Change> changes) {
        return db.get().commit(changes).thenAccept(durable -> acknowledged(changes));
    }

    private synchronized void acknowledged(List<Change> changes) {
        for (Change change : changes) {
            if (change instanceof Change.RemoveOperation end) {
                endsUnderWay.remove(end.id());
            }
        }
    }

    @Override
    public List<Entry> open() {
        return db.get().operations().stream()
                .sorted(Comparator.comparing(Entry::since).thenComparing(Entry::id))
                .toList();
    }
}

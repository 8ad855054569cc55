package io.enipam.observability.history;

import io.enipam.engine.model.TableRow;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.DbTrouble;
import io.enipam.engine.port.Span;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A database that counts its commits and the time from the call until the changes are durable. Thread-safe. */
public final class MeteredDb implements ResourceDb {
    private final ResourceDb db;
    private final CallMeter commits;

    public MeteredDb(ResourceDb db, Meters meters) {
        this.db = db;
        this.commits = meters.commits();
    }

    @Override
    public CompletionStage<Void> commit(List<Change> changes, Span span) {
        return commits.measured(() -> db.commit(changes, span));
    }

    @Override
    public List<TableRow> rows() {
        return db.rows();
    }

    @Override
    public Contents contents() {
        return db.contents();
    }

    @Override
    public List<CloudJournal.Entry> operations() {
        return db.operations();
    }

    @Override
    public Optional<DbTrouble> trouble() {
        return db.trouble();
    }

    @Override
    public void watch(Consumer<Optional<DbTrouble>> watcher) {
        db.watch(watcher);
    }

    @Override
    public List<RawRecord> records() {
        return db.records();
    }

    @Override
    public void close() {
        db.close();
    }
}

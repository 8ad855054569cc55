package io.enipam.engine.port;

import io.enipam.engine.model.TableRow;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Passes all calls on to another database; a subclass overrides those that it changes. */
public abstract class ForwardingDb implements ResourceDb {
    protected final ResourceDb db;

    protected ForwardingDb(ResourceDb db) {
        this.db = db;
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
    public List<TableRow> rows() {
        return db.rows();
    }

    @Override
    public CompletionStage<Void> commit(List<Change> changes, Span span) {
        return db.commit(changes, span);
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

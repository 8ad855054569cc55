package io.enipam.observability.history;

import io.enipam.engine.port.Change;
import io.enipam.engine.port.ForwardingDb;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Span;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A database that counts its commits and the time from the call until the changes are durable. Thread-safe. */
public final class MeteredDb extends ForwardingDb {
    private final CallMeter commits;

    public MeteredDb(ResourceDb db, Meters meters) {
        super(db);
        this.commits = meters.commits();
    }

    @Override
    public CompletionStage<Void> commit(List<Change> changes, Span span) {
        return commits.measured(() -> db.commit(changes, span));
    }
}

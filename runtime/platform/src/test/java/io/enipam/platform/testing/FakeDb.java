package io.enipam.platform.testing;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.TableRow;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Span;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/** A database that holds what a test put there. */
public final class FakeDb implements ResourceDb {
    public final List<RawRecord> records = new CopyOnWriteArrayList<>();
    public final List<Lease> leases = new CopyOnWriteArrayList<>();
    public volatile boolean closed;

    @Override
    public Contents contents() {
        return new Contents(leases, List.<Hold>of(), List.of(), List.of(), List.of(), Optional.empty());
    }

    @Override
    public List<TableRow> rows() {
        return List.of();
    }

    @Override
    public CompletionStage<Void> commit(List<Change> changes, Span span) {
        return CompletableFuture.completedStage(null);
    }

    @Override
    public List<RawRecord> records() {
        return List.copyOf(records);
    }

    @Override
    public void close() {
        closed = true;
    }
}

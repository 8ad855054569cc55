package io.enipam.daemon.campaign;

import io.enipam.engine.model.TableRow;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Span;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A database whose process may die: from then on nobody hears of a commit any more, whether it got to the disk or not. */
final class MortalDb implements ResourceDb {
    private final ResourceDb disk;
    private volatile boolean dead;

    MortalDb(ResourceDb disk) {
        this.disk = disk;
    }

    @Override
    public Contents contents() {
        return disk.contents();
    }

    @Override
    public List<TableRow> rows() {
        return disk.rows();
    }

    @Override
    public CompletionStage<Void> commit(List<Change> changes, Span span) {
        CompletableFuture<Void> heard = new CompletableFuture<>();
        if (!dead) {
            disk.commit(changes).whenComplete((done, failure) -> {
                if (dead) {
                    return;
                }
                if (failure == null) {
                    heard.complete(null);
                } else {
                    heard.completeExceptionally(failure);
                }
            });
        }
        return heard;
    }

    @Override
    public List<RawRecord> records() {
        return disk.records();
    }

    /** The process is gone; its lock on the files goes with it. */
    void die() {
        dead = true;
        disk.close();
    }

    @Override
    public void close() {
        disk.close();
    }
}

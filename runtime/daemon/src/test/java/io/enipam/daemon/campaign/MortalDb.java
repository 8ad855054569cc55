package io.enipam.daemon.campaign;

import io.enipam.engine.port.Change;
import io.enipam.engine.port.ForwardingDb;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Span;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A database whose process may die: from then on nobody hears of a commit any more, whether it got to the disk or not. */
final class MortalDb extends ForwardingDb {
    private volatile boolean dead;

    MortalDb(ResourceDb disk) {
        super(disk);
    }

    @Override
    public CompletionStage<Void> commit(List<Change> changes, Span span) {
        CompletableFuture<Void> heard = new CompletableFuture<>();
        if (!dead) {
            db.commit(changes).whenComplete((done, failure) -> {
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

    /** The process is gone; its lock on the files goes with it. */
    void die() {
        dead = true;
        db.close();
    }
}

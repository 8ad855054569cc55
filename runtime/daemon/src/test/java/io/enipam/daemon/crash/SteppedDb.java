package io.enipam.daemon.crash;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ForwardingDb;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.Span;
import io.enipam.engine.testing.CrashPoint;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * A database in step with virtual time: a commit is on the disk, or was refused by it, when the call returns, and is
 * acknowledged as a task of its own, unless the process has died. So all operations of a run but those of checkpoints have one
 * order.
 */
final class SteppedDb extends ForwardingDb {
    private final Scheduler time;
    private final CrashPoint fate;

    SteppedDb(ResourceDb db, Scheduler time, CrashPoint fate) {
        super(db);
        this.time = time;
        this.fate = fate;
    }

    @Override
    public CompletionStage<Void> commit(List<Change> changes, Span span) {
        CompletableFuture<Void> heard = new CompletableFuture<>();
        CompletableFuture<Void> done = db.commit(changes).toCompletableFuture();
        try {
            done.orTimeout(60, TimeUnit.SECONDS).join();
            answer(() -> heard.complete(null));
        } catch (CompletionException e) {
            answer(() -> heard.completeExceptionally(Stages.cause(e)));
        }
        return heard;
    }

    private void answer(Runnable answer) {
        if (!fate.hasCrashed()) {
            time.execute(answer);
        }
    }
}

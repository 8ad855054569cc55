package io.enipam.datapath;

import io.enipam.engine.model.OwnerKey;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Runs the work of one owner in the order of the calls; different owners run in parallel. A lock alone is not enough: an ADD that
 * waited too long is undone while it still waits for a thread, and if the undoing ran first, the pod would be connected with an
 * address that is leased to the next. Waiting occupies no thread. Thread-safe.
 */
final class OwnerSerialExecutor {
    private final DatapathExecutor workers;
    private final Map<OwnerKey, CompletableFuture<?>> last = new ConcurrentHashMap<>();

    OwnerSerialExecutor(DatapathExecutor workers) {
        this.workers = workers;
    }

    /** Does it when all that was asked for the owner before has ended, well or not. */
    <T> CompletableFuture<T> run(OwnerKey owner, Supplier<T> work) {
        CompletableFuture<T> mine = new CompletableFuture<>();
        CompletableFuture<?> before = last.put(owner, mine);
        if (before == null) {
            begin(owner, work, mine);
        } else {
            before.whenComplete((done, error) -> begin(owner, work, mine));
        }
        // the caller may complete its copy without disturbing the order
        return mine.copy();
    }

    private <T> void begin(OwnerKey owner, Supplier<T> work, CompletableFuture<T> mine) {
        workers.run(work).whenComplete((done, error) -> {
            last.remove(owner, mine);
            if (error == null) {
                mine.complete(done);
            } else {
                mine.completeExceptionally(error);
            }
        });
    }

    /** How many owners something is asked for. */
    int busy() {
        return last.size();
    }
}

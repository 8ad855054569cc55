package io.enipam.engine.lease;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.Lease;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.Span;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Takes back what an ADD did, newest first: kernel, row, address. Never fails: what cannot be undone now stays a lease
 * in every record, so that DEL or the garbage collector finds it.
 */
final class AddRollback {
    private static final Duration STEP = Duration.ofSeconds(10);

    private final LeaseContext context;

    AddRollback(LeaseContext context) {
        this.context = context;
    }

    /** Undoes a lease whose row is on disk. */
    CompletableFuture<Void> lease(Lease lease, String why, Span trace) {
        Span undo = trace.step("UNDO").with("why", why);
        CompletableFuture<Void> gone = context.tearDown(lease.owner(), undo, STEP)
                .thenCompose(done -> context.commit(List.of(new Change.RemoveLease(lease.owner())), undo, STEP));
        return Stages.traced(undo, gone).handle((done, error) -> {
            String pod = lease.pod().toString();
            if (error == null) {
                context.leases().remove(lease.owner());
                context.pool().release(lease.owner(), Optional.empty());
                context.events().info("LeaseUndone", pod, "the lease was undone: " + why);
            } else {
                context.leases().markRemovalUnconfirmed(lease.owner());
                String what = "the lease stays until a DEL or the garbage collector ends it: "
                        + Stages.cause(error).getMessage();
                context.events().error("LeaseNotUndone", pod, what);
            }
            return null;
        });
    }

    /**
     * Undoes a lease whose row may not have been written. If the write failed for certain, there is no row, and the
     * address is free at once. If it has not ended, a removal is queued behind it, and the address is free when that is
     * on disk; if even that fails, the lease stands, since its row may.
     */
    CompletableFuture<Void> uncommitted(Lease lease, CompletionStage<Void> write, Span trace) {
        if (write.toCompletableFuture().isCompletedExceptionally()) {
            Span undo = trace.step("UNDO").with("why", "its row was not written");
            context.pool().cancel(lease.owner());
            undo.done();
            return CompletableFuture.completedFuture(null);
        }
        context.leases().put(lease);
        return lease(lease, "its row was not on disk in time", trace);
    }
}

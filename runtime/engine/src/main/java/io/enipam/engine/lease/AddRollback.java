package io.enipam.engine.lease;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
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

    private final LeaseContext leasing;

    AddRollback(LeaseContext leasing) {
        this.leasing = leasing;
    }

    /** Undoes a lease whose row is on disk. */
    CompletableFuture<Void> lease(Lease lease, String why, Span story) {
        Span undo = story.step("UNDO").with("why", why);
        Span kernel = undo.step("KERNEL");
        CompletableFuture<Void> disconnected = Stages.traced(
                kernel,
                Stages.within(
                        Stages.call(() -> leasing.datapath().tearDown(lease.owner(), kernel)),
                        STEP,
                        leasing.scheduler(),
                        this::late));
        return Stages.traced(undo, disconnected.thenCompose(done -> removeRow(lease, undo)))
                .handle((done, error) -> {
                    if (error == null) {
                        leasing.book().remove(lease.owner());
                        leasing.pool().release(lease.owner(), Optional.empty());
                        leasing.events().info("LeaseUndone", lease.pod().toString(), "the lease was undone: " + why);
                    } else {
                        leasing.book().markRemovalUnconfirmed(lease.owner());
                        leasing.events()
                                .error(
                                        "LeaseNotUndone",
                                        lease.pod().toString(),
                                        "the lease stays until a DEL or the garbage collector ends it: "
                                                + Stages.cause(error).getMessage());
                    }
                    return null;
                });
    }

    /**
     * Undoes a lease whose row may not have been written. If the write failed for certain, there is no row, and the
     * address is free at once. If it has not ended, a removal is queued behind it, and the address is free when that is
     * on disk; if even that fails, the lease stands, since its row may.
     */
    CompletableFuture<Void> uncommitted(Lease lease, CompletionStage<Void> write, Span story) {
        if (write.toCompletableFuture().isCompletedExceptionally()) {
            Span undo = story.step("UNDO").with("why", "its row was not written");
            leasing.pool().cancel(lease.owner());
            undo.done();
            return CompletableFuture.completedFuture(null);
        }
        leasing.book().put(lease);
        return lease(lease, "its row was not on disk in time", story);
    }

    private CompletableFuture<Void> removeRow(Lease lease, Span undo) {
        Span commit = undo.step("COMMIT");
        return Stages.traced(
                commit,
                Stages.within(
                        Stages.call(() -> leasing.db().commit(List.of(new Change.RemoveLease(lease.owner())), commit)),
                        STEP,
                        leasing.scheduler(),
                        this::late));
    }

    private IpamException late() {
        return new IpamException(ErrorCode.DEADLINE_EXCEEDED, "no answer within " + STEP.toSeconds() + "s", "");
    }
}

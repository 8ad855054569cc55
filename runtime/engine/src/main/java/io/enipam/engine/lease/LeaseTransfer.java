package io.enipam.engine.lease;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.AddProcedure.CallDeadline;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LeaseEnd;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.Change;
import io.enipam.sdk.ResourceState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Leases that a start-up made under a placeholder's name ({@link PlaceholderPod}) pass to the real sandbox and the real
 * pod, with the address they have, when an ADD names them.
 */
record LeaseTransfer(LeaseContext context) {
    /**
     * The lease that an ADD takes over: that of its pod's placeholder, unless that is of another pod of the same name.
     */
    Optional<Lease> find(AddCommand command, Pod pod) {
        return context.leases().of(command.pod()).stream()
                .filter(lease -> PlaceholderPod.is(lease.owner()))
                // what the cloud took is of no use to a new sandbox
                .filter(lease -> context.isInState(lease, ResourceState.IN_USE))
                .filter(lease -> lease.podUid().isEmpty()
                        || pod.uid().isEmpty()
                        || lease.podUid().equals(pod.uid()))
                .findFirst();
    }

    /**
     * Passes a lease on, durably. Fails if the former lease is over by then, or the change could not be written; then
     * the former lease stands.
     *
     * @param copy what else is to be written
     */
    CompletionStage<Lease> transfer(Lease former, Lease next, Optional<Change.PutPod> copy, CallDeadline budget) {
        List<Change> changes = replacing(former, next);
        copy.ifPresent(changes::add);
        // DEL and collector stand in the former pod's queue
        CompletionStage<Lease> passed = former.pod().equals(next.pod())
                ? transfer(former, next, changes, budget)
                : context.turns().run(former.pod(), () -> transfer(former, next, changes, budget));
        return passed.thenApply(lease -> {
            copy.ifPresent(context.podStore()::written);
            return lease;
        });
    }

    private static List<Change> replacing(Lease former, Lease next) {
        List<Change> changes = new ArrayList<>();
        if (!former.owner().equals(next.owner())) {
            String to = "to container " + next.owner().containerId();
            changes.add(new Change.RemoveLease(
                    former.owner(), new LeaseEnd(LeaseEnd.Reason.PASSED_ON, "", to, next.since())));
        }
        changes.add(new Change.PutLease(next));
        return changes;
    }

    private CompletionStage<Lease> transfer(Lease former, Lease next, List<Change> changes, CallDeadline budget) {
        if (!context.leases().find(former.owner()).equals(Optional.of(former))) {
            return CompletableFuture.failedFuture(new IpamException(
                    ErrorCode.TRY_AGAIN,
                    "the address kept for pod " + next.pod() + " has just gone back",
                    "try again"));
        }
        String late = "the time for pod " + next.pod() + " was over before the lease was on disk";
        return Stages.within(
                        Stages.call(() -> context.db().commit(changes)),
                        budget.left(),
                        context.scheduler(),
                        () -> new IpamException(
                                ErrorCode.DEADLINE_EXCEEDED, late, "try again; what was begun is undone"))
                .handle((done, error) -> {
                    if (error == null) {
                        context.leases().remove(former.owner());
                        context.leases().put(next);
                        context.pool().repair().passOn(former.owner(), next.owner(), next.pod());
                        return CompletableFuture.completedFuture(next);
                    }
                    undo(former, next);
                    return CompletableFuture.<Lease>failedFuture(error);
                })
                .thenCompose(stage -> stage);
    }

    /** The change may yet get to the disk: its opposite goes behind it. */
    private void undo(Lease former, Lease next) {
        List<Change> back = replacing(next, former);
        context.leases().markRemovalUnconfirmed(former.owner());
        Stages.call(() -> context.db().commit(back))
                .thenRun(() -> context.leases().confirm(former.owner()));
    }
}

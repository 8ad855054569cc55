package io.enipam.engine.lease;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.PodDirectory.PodLookupResult;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Brings leases in line with their pods once the API server answers again: the UID of a lease that was made without
 * one, and in the kernel the limits that the pod's manifest asks for.
 *
 * <p>The pod that has the name now may be another one than the pod the lease was made for. It is the same for certain,
 * and its UID is written to the lease, if the API server, asked uncached, has it on this node and one of two things
 * holds:
 *
 * <ul>
 *   <li>It has an address of the lease. The address was lent to no other pod since the lease was made, so the pod got
 *       it by this lease or had it before; and as it exists still, no other pod has borne its name since.
 *   <li>The node knew this very pod, by its UID, when the lease was made: it had the name before and after.
 * </ul>
 *
 * <p>That the pod was created before the lease was made proves nothing. The two dates are of two clocks, either of
 * which may be set, and a kubelet that cannot reach the API server either makes sandboxes for pods that were replaced
 * meanwhile.
 */
public record PodSync(LeaseContext context) {
    private static final Duration ASK = Duration.ofSeconds(10);

    /**
     * Looks at all leases, one after another.
     *
     * @param known the pods of the node; may be a little old
     * @return what could not be done, one line each; never fails
     */
    public CompletionStage<List<String>> run(Collection<Pod> known) {
        Map<PodRef, Pod> byName =
                known.stream().collect(Collectors.toMap(Pod::ref, Function.identity(), (one, other) -> other));
        List<Lease> leases = context.leases().all().stream()
                .filter(lease -> !PlaceholderPod.is(lease.owner()) && !PlaceholderPod.is(lease.pod()))
                .filter(lease -> byName.containsKey(lease.pod()) && isOf(lease, byName.get(lease.pod())))
                .toList();
        List<String> problems = new ArrayList<>();
        CompletableFuture<Void> vouched =
                leases.stream().anyMatch(lease -> lease.podUid().isEmpty())
                        ? ask(context.pods()::verifyIdentity)
                        : CompletableFuture.completedFuture(null);
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (Lease lease : leases) {
            all = all.thenCompose(done -> Stages.call(() -> one(lease, byName.get(lease.pod()), vouched))
                    .exceptionally(error -> {
                        problems.add(lease.pod() + " could not be brought in line with its manifest: "
                                + Stages.cause(error).getMessage());
                        return null;
                    }));
        }
        return all.thenApply(done -> problems);
    }

    private CompletionStage<Void> one(Lease lease, Pod pod, CompletableFuture<Void> vouched) {
        if (!lease.podUid().isEmpty()) {
            return limit(lease, pod);
        }
        return vouched.thenCompose(done -> ask(() -> context.pods().locate(lease.pod())))
                .thenCompose(sighting -> {
                    if (sighting instanceof PodLookupResult.OnThisNode here && isOf(lease, here.pod())) {
                        return context.turns()
                                .run(lease.pod(), () -> identified(lease, here.pod()))
                                .thenCompose(next -> next.map(identified -> limit(identified, here.pod()))
                                        .orElse(CompletableFuture.completedFuture(null)));
                    }
                    return CompletableFuture.completedFuture(null);
                });
    }

    /** Whether it is the pod of the lease for certain. */
    private boolean isOf(Lease lease, Pod pod) {
        if (pod.uid().isEmpty() || pod.finished()) {
            return false;
        }
        if (!lease.podUid().isEmpty()) {
            return lease.podUid().equals(pod.uid());
        }
        return !Collections.disjoint(lease.addresses(), pod.addresses())
                || context.leases().isAssumedUid(lease.owner(), pod.uid());
    }

    /** In the pod's turn: writes its UID, unless the lease ended or changed meanwhile. */
    private CompletionStage<Optional<Lease>> identified(Lease lease, Pod pod) {
        if (!context.leases().find(lease.owner()).equals(Optional.of(lease))) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        Lease next = new Lease(lease.owner(), lease.pod(), pod.uid(), lease.resource(), pod.stick(), lease.since());
        Optional<Change.PutPod> copy = context.podStore().seen(pod);
        List<Change> changes = new ArrayList<>(List.of(new Change.PutLease(next)));
        copy.ifPresent(changes::add);
        return ask(() -> context.db().commit(changes)).thenApply(done -> {
            context.leases().put(next);
            copy.ifPresent(context.podStore()::written);
            String what = "container " + lease.owner().containerId() + " is of the pod with UID " + pod.uid()
                    + ": its lease was made while the " + context.pods().source() + " did not answer";
            context.events().info("PodUidLearned", lease.pod().toString(), what);
            return Optional.of(next);
        });
    }

    private CompletionStage<Void> limit(Lease lease, Pod pod) {
        return ask(() -> context.datapath().adjust(lease, pod.wishes())).thenAccept(changed -> {
            if (changed) {
                String what = "container " + lease.owner().containerId()
                        + " has the limits of bandwidth that the pod's manifest asks for";
                context.events().info("PodLimitsSet", lease.pod().toString(), what);
            }
        });
    }

    private <T> CompletableFuture<T> ask(Supplier<CompletionStage<T>> question) {
        return Stages.ask(question, ASK, context.scheduler());
    }
}

package io.enipam.engine.startup;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.LeaseContext;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.pool.PoolRepair;
import io.enipam.engine.pool.StaleRowRemover;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.startup.ObservedState.EndedLease;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Leases that could not be rebuilt while the engine started, since no list had their addresses: those of a factory that
 * leaves and answered late, or those that a list kept back. Such a sandbox has been a stray since, so that its address
 * is barred; a list says what the address is, and the sandbox gets its lease, before another pod can have the address
 * or it goes back.
 */
final class LateLeaseRebuilder {
    private static final Duration DISK = Duration.ofSeconds(60);

    private final LeaseContext context;
    private final List<Attachment> sandboxes;
    private final List<Hold> holds;
    private final PodIndex podIndex;
    private final StaleRowRemover staleRows;
    private final RetryLoop asking;
    private final Map<OwnerKey, CompletableFuture<Void>> underWay = new ConcurrentHashMap<>();
    /** By the pods that ran at the start, so that there is an end to it. */
    private final Map<PodRef, Set<EndedLease>> ended = new ConcurrentHashMap<>();

    /**
     * @param sandboxes what the kernel was connected to at the start
     * @param ended what DELs ended during the start
     */
    LateLeaseRebuilder(
            LeaseContext context,
            List<Attachment> sandboxes,
            List<Hold> holds,
            PodIndex podIndex,
            List<EndedLease> ended,
            StaleRowRemover staleRows,
            RetryLoop asking) {
        this.context = context;
        this.sandboxes = List.copyOf(sandboxes);
        this.holds = List.copyOf(holds);
        this.podIndex = podIndex;
        this.staleRows = staleRows;
        this.asking = asking;
        ended.forEach(this::ended);
    }

    /**
     * A DEL has ended a lease: what is known of the pods since the start does not show any more who has its address.
     */
    void ended(EndedLease end) {
        if (podIndex.runs(end.pod(), "")) {
            ended.computeIfAbsent(end.pod(), pod -> ConcurrentHashMap.newKeySet())
                    .add(end);
        }
    }

    /** Makes leases of what a leaving factory's first list has and sandboxes or pods use. Never fails. */
    CompletableFuture<Void> rebuild(List<Resource> listed) {
        return rebuild(listed, lease -> true);
    }

    /** Any later list. What is known of pods is old by now: sandboxes alone get leases. Never fails. */
    CompletableFuture<Void> found(List<Resource> listed) {
        return rebuild(listed, lease -> !PlaceholderPod.is(lease.owner()));
    }

    private CompletableFuture<Void> rebuild(List<Resource> listed, Predicate<Lease> wanted) {
        PoolRepair pool = context.pool().repair();
        Set<ResourceKey> free =
                listed.stream().filter(pool::isFree).map(ResourceKey::of).collect(Collectors.toSet());
        List<Attachment> standing = sandboxes.stream()
                .filter(sandbox -> context.strays().contains(sandbox.owner())
                        || context.leases().find(sandbox.owner()).isPresent())
                .toList();
        ObservedState observed = new ObservedState(
                context.leases().all(),
                holds,
                standing,
                podIndex,
                listed,
                ended.values().stream().flatMap(Set::stream).toList(),
                context.time().now());
        return CompletableFuture.allOf(LeaseConflictResolver.resolve(observed).granted().stream()
                .filter(wanted)
                .filter(lease -> free.contains(ResourceKey.of(lease.resource())))
                // what is kept for later is a stray's, that uses it, and no pod's by hearsay
                .filter(lease -> !PlaceholderPod.is(lease.owner())
                        || context.pool().membership().rival(lease.resource()).isEmpty())
                .map(this::grantUntilWritten)
                .toArray(CompletableFuture[]::new));
    }

    private CompletableFuture<Void> grantUntilWritten(Lease lease) {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> other = underWay.putIfAbsent(lease.owner(), mine);
        if (other != null) {
            return other;
        }
        asking.until(
                        () -> context.turns()
                                .run(lease.pod(), () -> context.strays().inTurn(lease.owner(), () -> grant(lease))),
                        DISK.multipliedBy(2),
                        failure -> {
                            String why = "the lease of a sandbox could not be written: " + failure.why();
                            context.events()
                                    .error("LeaseNotRebuilt", lease.pod().toString(), why);
                        })
                .thenRun(() -> {
                    underWay.remove(lease.owner());
                    mine.complete(null);
                });
        return mine;
    }

    /**
     * In the pod's turn and the sandbox's: an ADD of the sandbox may name another pod. The pool is asked first, so that
     * no other pod is lent the address while the row is written; it keeps it if the row cannot be.
     */
    private CompletionStage<Void> grant(Lease lease) {
        PoolRepair pool = context.pool().repair();
        OwnerKey owner = lease.owner();
        boolean wanted = PlaceholderPod.is(owner)
                ? context.leases().of(lease.pod()).isEmpty()
                : context.strays().contains(owner)
                        && context.leases().find(owner).isEmpty();
        if (!wanted) {
            if (context.leases().find(owner).isEmpty()) {
                pool.retract(owner);
            }
            return CompletableFuture.completedFuture(null);
        }
        // what is barred is lent to no pod meanwhile
        boolean free = pool.isBarred(lease.resource())
                ? pool.mayLend(lease.resource(), owner)
                : pool.lendIfFree(lease.resource(), owner, lease.pod());
        if (!free) {
            return CompletableFuture.completedFuture(null);
        }
        List<Change> changes = PlanExecutor.rowsOf(lease, holds);
        return Stages.ask(() -> context.db().commit(changes), DISK, context.scheduler())
                .handle((done, error) -> {
                    if (error != null) {
                        // it may yet get to the disk, and the sandbox may be gone by then
                        staleRows.remove(List.of(new Change.RemoveLease(owner)));
                        return CompletableFuture.<Void>failedFuture(error);
                    }
                    context.leases().put(lease);
                    pool.lendIfFree(lease.resource(), owner, lease.pod());
                    context.strays().remove(owner);
                    String what =
                            "address " + lease.resource().addresses().get(0).host() + " of pod " + lease.pod()
                                    + " is in a list at last, and has a lease again";
                    context.events().warning("LeaseRebuilt", lease.pod().toString(), what);
                    return CompletableFuture.<Void>completedFuture(null);
                })
                .thenCompose(stage -> stage);
    }
}

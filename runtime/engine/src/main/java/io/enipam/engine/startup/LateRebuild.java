package io.enipam.engine.startup;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.Leasing;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.StandIn;
import io.enipam.engine.pool.StaleRows;
import io.enipam.engine.port.Attachment;
import io.enipam.engine.port.Change;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Leases that could not be rebuilt while the engine started, since no list had their addresses: those of a factory that leaves
 * and answered late, or those that a list kept back. Such a sandbox has been a stray since, so that its address is barred; a
 * list says what the address is, and the sandbox gets its lease, before anybody else can have the address or it goes back.
 */
final class LateRebuild {
    private static final Duration DISK = Duration.ofSeconds(60);

    private final Leasing leasing;
    private final List<Attachment> sandboxes;
    private final List<Hold> holds;
    private final Residents residents;
    private final StaleRows staleRows;
    private final Asking asking;
    private final Map<OwnerKey, CompletableFuture<Void>> underWay = new ConcurrentHashMap<>();

    /** @param sandboxes what the kernel was connected to at the start */
    LateRebuild(
            Leasing leasing,
            List<Attachment> sandboxes,
            List<Hold> holds,
            Residents residents,
            StaleRows staleRows,
            Asking asking) {
        this.leasing = leasing;
        this.sandboxes = List.copyOf(sandboxes);
        this.holds = List.copyOf(holds);
        this.residents = residents;
        this.staleRows = staleRows;
        this.asking = asking;
    }

    /** Makes leases of what a factory turns out to have, if sandboxes or pods have been using it. Never fails. */
    CompletableFuture<Void> rebuild(List<Resource> listed) {
        Set<ResourceId> unknown = listed.stream()
                .filter(resource -> leasing.pool().supply().rival(resource).isEmpty())
                .map(Resource::id)
                .collect(Collectors.toSet());
        List<Attachment> standing = sandboxes.stream()
                .filter(sandbox -> leasing.strays().contains(sandbox.owner())
                        || leasing.book().find(sandbox.owner()).isPresent())
                .toList();
        Evidence evidence = new Evidence(
                leasing.book().all(),
                holds,
                standing,
                residents,
                listed,
                leasing.time().now());
        return CompletableFuture.allOf(Judge.decide(evidence).granted().stream()
                .filter(lease -> unknown.contains(lease.resource().id()))
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
                        () -> leasing.turns().run(lease.pod(), () -> grant(lease)),
                        DISK.multipliedBy(2),
                        failure -> leasing.events()
                                .error(
                                        "LeaseNotRebuilt",
                                        lease.pod().toString(),
                                        "the lease of a sandbox could not be written: " + failure.why()))
                .thenRun(() -> {
                    underWay.remove(lease.owner());
                    mine.complete(null);
                });
        return mine;
    }

    /** In the pod's turn, as DEL of a stray is. */
    private CompletionStage<Void> grant(Lease lease) {
        OwnerKey owner = lease.owner();
        boolean wanted = StandIn.is(owner)
                ? leasing.book().of(lease.pod()).isEmpty()
                : leasing.strays().contains(owner) && leasing.book().find(owner).isEmpty();
        if (!wanted) {
            return CompletableFuture.completedFuture(null);
        }
        return Stages.within(
                        Stages.call(() -> leasing.db().commit(List.of(new Change.PutLease(lease)))),
                        DISK,
                        leasing.scheduler(),
                        () -> new IllegalStateException("no answer within " + DISK.toSeconds() + " s"))
                .handle((done, error) -> {
                    if (error != null) {
                        // it may yet get to the disk, and the sandbox may be gone by then
                        staleRows.remove(List.of(new Change.RemoveLease(owner)));
                        return CompletableFuture.<Void>failedFuture(error);
                    }
                    leasing.book().put(lease);
                    leasing.pool().supply().restoration().lend(lease.resource(), owner, lease.pod());
                    leasing.strays().remove(owner);
                    leasing.events()
                            .warning(
                                    "LeaseRebuilt",
                                    lease.pod().toString(),
                                    "address "
                                            + lease.resource()
                                                    .addresses()
                                                    .get(0)
                                                    .host() + " of pod " + lease.pod()
                                            + " is in a list at last, and has a lease again");
                    return CompletableFuture.<Void>completedFuture(null);
                })
                .thenCompose(stage -> stage);
    }
}

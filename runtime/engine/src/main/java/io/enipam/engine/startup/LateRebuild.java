package io.enipam.engine.startup;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.Leasing;
import io.enipam.engine.lease.Stray;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.StandIn;
import io.enipam.engine.port.Attachment;
import io.enipam.engine.port.Change;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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

    /** @param sandboxes what the kernel was connected to at the start */
    LateRebuild(Leasing leasing, List<Attachment> sandboxes, List<Hold> holds, Residents residents) {
        this.leasing = leasing;
        this.sandboxes = List.copyOf(sandboxes);
        this.holds = List.copyOf(holds);
        this.residents = residents;
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
                .map(lease -> leasing.turns().run(lease.pod(), () -> grant(lease)))
                .toArray(CompletableFuture[]::new));
    }

    /** In the pod's turn. Never fails. */
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
                    if (error == null) {
                        leasing.book().put(lease);
                        leasing.pool().supply().restoration().lend(lease.resource(), owner, lease.pod());
                        leasing.strays().remove(owner);
                        leasing.events()
                                .warning(
                                        "LeaseRebuilt",
                                        lease.pod().toString(),
                                        "the address "
                                                + lease.resource()
                                                        .addresses()
                                                        .get(0)
                                                        .host() + " of pod " + lease.pod()
                                                + " is in a list at last, and has a lease again");
                    } else {
                        // lent to nobody and given back by nobody, until a restart or the sandbox's end
                        Set<InetAddress> addresses = lease.resource().addresses().stream()
                                .map(Address::ip)
                                .collect(Collectors.toSet());
                        leasing.strays()
                                .put(new Stray(
                                        owner, lease.pod(), lease.podUid(), addresses, addresses, lease.since()));
                        leasing.events()
                                .error(
                                        "LeaseNotRebuilt",
                                        lease.pod().toString(),
                                        "the lease of a sandbox could not be written: "
                                                + Stages.cause(error).getMessage());
                    }
                    return null;
                });
    }
}

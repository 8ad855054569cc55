package io.enipam.engine.startup;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.Leasing;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.StandIn;
import io.enipam.engine.pool.Provisioner;
import io.enipam.engine.pool.Roster;
import io.enipam.engine.pool.SaneList;
import io.enipam.engine.pool.StaleRows;
import io.enipam.engine.port.Attachment;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.NamedFactory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * The factories that leave, after a start: each is listed in the background, and compared with the pool when it answers. Until
 * then their leases are what the database says, and no intention is settled that may be theirs. What such a factory turns out
 * to have may put the pool above its bound until it went back.
 *
 * <p>On a lost database a sandbox may use an address of theirs. It has been a stray since, so that its address is barred; the
 * list says what the address is, and the sandbox gets its lease, before anything of the factory goes back.
 */
final class LeavingFactories {
    private static final Duration DISK = Duration.ofSeconds(60);

    private final Leasing leasing;
    private final StaleRows staleRows;
    private final Roster roster;
    private final Provisioner provisioner;
    private final CloudList cloud;
    private final CloudComparison comparison;
    private final ResourceDb.Contents contents;
    private final Set<String> resumed = new HashSet<>(); // by itself
    private int silent; // by resumed

    LeavingFactories(
            Leasing leasing,
            StaleRows staleRows,
            Roster roster,
            Provisioner provisioner,
            CloudList cloud,
            CloudComparison comparison,
            ResourceDb.Contents contents) {
        this.leasing = leasing;
        this.staleRows = staleRows;
        this.roster = roster;
        this.provisioner = provisioner;
        this.cloud = cloud;
        this.comparison = comparison;
        this.contents = contents;
    }

    /**
     * Takes disposals up again, and begins to list.
     *
     * @param sandboxes what the kernel was connected to
     * @param goOn what was about to go back to the active factory and is still there
     */
    void begin(List<Attachment> sandboxes, Residents residents, List<Resource> goOn) {
        List<NamedFactory> leaving = roster.others();
        silent = leaving.size() + 1;
        // not before the provisioner has begun: it would drop them
        heard(goOn);
        for (NamedFactory factory : leaving) {
            cloud.of(factory, words -> {}).thenAccept(listing -> {
                SaneList sane = SaneList.of(factory, factory.factory().kind(), listing.resources(), leasing.events());
                rebuild(sane.resources(), sandboxes, residents).thenRun(() -> {
                    heard(comparison.compare(contents, factory, listing, sane));
                    leasing.pool().supply().crew().listed(factory.name());
                    provisioner.look();
                });
            });
        }
    }

    private void heard(List<Resource> goOn) {
        leasing.scheduler().execute(() -> goOn.forEach(provisioner::resumeDisposal));
        synchronized (resumed) {
            goOn.forEach(resource -> resumed.add(resource.id().value()));
            if (--silent == 0) {
                settleIntents();
            }
        }
    }

    /** An intention whose resource nobody lists is over, or never came to be. */
    private void settleIntents() {
        List<Change> over = contents.intents().stream()
                .filter(intent -> !resumed.contains(intent.token()))
                .<Change>map(intent -> new Change.RemoveIntent(intent.token()))
                .toList();
        if (!over.isEmpty()) {
            staleRows.remove(over);
        }
    }

    private CompletableFuture<Void> rebuild(List<Resource> listed, List<Attachment> sandboxes, Residents residents) {
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
                contents.holds(),
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
                                                + " is of a factory that leaves, and has a lease again");
                    } else {
                        // lent to nobody and given back by nobody, until a restart or the sandbox's end
                        leasing.strays()
                                .put(
                                        owner,
                                        lease.resource().addresses().stream()
                                                .map(Address::ip)
                                                .collect(Collectors.toSet()));
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

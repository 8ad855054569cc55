package io.enipam.engine.startup;

import io.enipam.engine.lease.LeaseContext;
import io.enipam.engine.pool.FactoryRegistry;
import io.enipam.engine.pool.Provisioner;
import io.enipam.engine.pool.StaleRowRemover;
import io.enipam.engine.pool.ValidatedList;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.Resource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The factories that leave, after a start: each is listed in the background, and compared with the pool when it answers. Until
 * then their leases are what the database says, and no intention is settled that may be theirs. What such a factory turns out
 * to have may put the pool above its bound until it went back.
 */
final class LeavingFactoryReconciler {
    private final LeaseContext leasing;
    private final StaleRowRemover staleRows;
    private final FactoryRegistry roster;
    private final Provisioner provisioner;
    private final FactoryLister cloud;
    private final StartupReconciler comparison;
    private final LateLeaseRebuilder late;
    private final ResourceDb.Contents contents;
    private final Set<String> resumed = new HashSet<>(); // by itself
    private int silent; // by resumed

    LeavingFactoryReconciler(
            LeaseContext leasing,
            StaleRowRemover staleRows,
            FactoryRegistry roster,
            Provisioner provisioner,
            FactoryLister cloud,
            StartupReconciler comparison,
            LateLeaseRebuilder late,
            ResourceDb.Contents contents) {
        this.leasing = leasing;
        this.staleRows = staleRows;
        this.roster = roster;
        this.provisioner = provisioner;
        this.cloud = cloud;
        this.comparison = comparison;
        this.late = late;
        this.contents = contents;
    }

    /**
     * Takes disposals up again, and begins to list.
     *
     * @param goOn what was about to go back to the active factory and is still there
     */
    void begin(List<Resource> goOn) {
        List<NamedFactory> leaving = roster.others();
        silent = leaving.size() + 1;
        // not before the provisioner has begun: it would drop them
        heard(goOn);
        for (NamedFactory factory : leaving) {
            cloud.of(factory, words -> {}).thenAccept(listing -> {
                ValidatedList sane =
                        ValidatedList.of(factory, factory.factory().kind(), listing.resources(), leasing.events());
                late.rebuild(sane.resources()).thenRun(() -> {
                    heard(comparison.compare(contents, factory, listing, sane));
                    leasing.pool().membership().factories().listed(factory.name());
                    provisioner.evaluate();
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

    /** An intention whose resource no list shows is over, or never came to be. */
    private void settleIntents() {
        List<Change> over = contents.intents().stream()
                .filter(intent -> !resumed.contains(intent.token()))
                .<Change>map(intent -> new Change.RemoveIntent(intent.token()))
                .toList();
        if (!over.isEmpty()) {
            staleRows.remove(over);
        }
    }
}

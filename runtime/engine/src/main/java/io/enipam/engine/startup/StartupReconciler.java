package io.enipam.engine.startup;

import io.enipam.engine.lease.LeaseContext;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.SourceComparison;
import io.enipam.engine.pool.FactoryListComparison;
import io.enipam.engine.pool.FactoryListComparison.ResourceLoss;
import io.enipam.engine.pool.FactoryRegistry;
import io.enipam.engine.pool.LossEvents;
import io.enipam.engine.pool.PoolMembership;
import io.enipam.engine.pool.Provisioner;
import io.enipam.engine.pool.StaleRowRemover;
import io.enipam.engine.pool.ValidatedList;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.engine.startup.StateCollector.FactoryListing;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Brings the pool in line with what a factory lists. Listed and known: it is what the database says. Listed and unknown:
 * idle, or, if its disposal had begun, disposed of once more. Known and not listed, twice: invalid, never lent again;
 * its owner keeps it until DEL.
 *
 * <p>The factories that leave are listed in the background, each compared with the pool when it answers. Until then
 * their leases are what the database says, and no intention is settled that may be theirs. What such a factory turns out
 * to have may put the pool above its bound until it went back.
 */
final class StartupReconciler {
    private final LeaseContext context;
    private final StaleRowRemover staleRows;
    private final FactoryRegistry registry;
    private final Provisioner provisioner;
    private final ResourceDb.Contents contents;
    /** By the resource's id: of factories of several providers there may be several. */
    private final Map<String, List<Intent>> disposing;

    private final LossEvents losses;
    private final Set<Intent> resumed = new HashSet<>(); // by itself
    private int silent; // by resumed

    StartupReconciler(
            LeaseContext context,
            StaleRowRemover staleRows,
            FactoryRegistry registry,
            Provisioner provisioner,
            ResourceDb.Contents contents) {
        this.context = context;
        this.staleRows = staleRows;
        this.registry = registry;
        this.provisioner = provisioner;
        this.contents = contents;
        this.disposing = contents.intents().stream()
                .filter(intent -> intent.action() == Intent.Action.DISPOSE)
                .collect(Collectors.groupingBy(Intent::token));
        this.losses = new LossEvents(context.events());
    }

    /** A resource that is still there, and the disposal of it that a former run has begun. */
    record BegunDisposal(Resource resource, Intent intent) {}

    /** @return what was about to go back and is still there */
    List<BegunDisposal> compare(FactoryListing listed, ValidatedList sane) {
        String factory = listed.factory().name();
        PoolMembership membership = context.pool().membership();
        // a list may be as old as the question: what came or went since is for the pool to say
        Set<ResourceId> known = listed.before();
        Set<ResourceId> there = context.pool().idsOf(factory);
        List<BegunDisposal> goOn = new ArrayList<>();
        int idle = 0;
        for (Resource made : sane.resources()) {
            boolean used = context.pool().repair().isBarred(made);
            if (known.contains(made.id()) || there.contains(made.id()) || used) {
                continue;
            }
            Optional<Intent> leaves = disposal(made);
            Optional<Resource> rival = leaves.isPresent() ? membership.rival(made) : membership.keepAside(made);
            if (rival.isPresent()) {
                ValidatedList.clash(context.events(), factory, made, rival.get());
            } else if (leaves.isPresent()) {
                membership.adoptDisposing(made);
                goOn.add(new BegunDisposal(made, leaves.get()));
            } else {
                membership.adopt(made, Optional.empty());
                idle++;
            }
        }
        FactoryListComparison comparison = membership.compare(factory);
        Set<ResourceId> doubtful = comparison.doubtful(sane.resources());
        comparison.drop();
        if (!doubtful.isEmpty() && sane.flawless()) {
            losses.doubtful(factory, doubtful.size(), sane.resources().size());
        }
        Set<Resource> has = membership.madeBy(factory);
        List<ResourceLoss> lost = SourceComparison.of(has, Resource::id, sane.resources(), Resource::id).left().stream()
                .filter(made -> sane.flawless() && listed.missed().contains(made.id()) && known.contains(made.id()))
                .filter(made -> !doubtful.contains(made.id()))
                .flatMap(made -> membership.invalidate(made).stream())
                .toList();
        losses.lost(lost);
        String what = "recovered " + contents.leases().size() + " leases and "
                + contents.holds().size() + " holds; " + idle + " idle addresses found, " + lost.size() + " lost, "
                + goOn.size() + " disposals taken up again";
        context.events().publish(Event.Severity.INFO, "Recovered", factory, what, Map.of("factory", factory));
        return goOn;
    }

    private Optional<Intent> disposal(Resource made) {
        return disposing.getOrDefault(made.id().value(), List.of()).stream()
                .filter(intent -> context.pool().factories().isDisposal(intent, made))
                .findFirst();
    }

    /**
     * Takes disposals up again, and begins to list the factories that leave.
     *
     * @param goOn what was about to go back to the active factory and is still there
     */
    void listLeaving(List<BegunDisposal> goOn, StateCollector collector, LateLeaseRebuilder late) {
        List<NamedFactory> leaving = registry.others();
        silent = leaving.size() + 1;
        // not before the provisioner has begun: it would drop them
        heard(goOn);
        for (NamedFactory factory : leaving) {
            collector.list(factory, what -> {}).thenAccept(listing -> {
                ValidatedList sane = collector.valid(listing);
                late.rebuild(sane.resources()).thenRun(() -> {
                    heard(compare(listing, sane));
                    context.pool().factories().listed(factory.name());
                    provisioner.evaluate();
                });
            });
        }
    }

    /** An intention whose resource no list shows is over, or never came to be. */
    private void heard(List<BegunDisposal> goOn) {
        context.scheduler()
                .execute(() -> goOn.forEach(begun -> provisioner.resumeDisposal(begun.resource(), begun.intent())));
        synchronized (resumed) {
            goOn.forEach(begun -> resumed.add(begun.intent()));
            if (--silent == 0) {
                staleRows.remove(contents.intents().stream()
                        .filter(intent -> !resumed.contains(intent))
                        .<Change>map(intent -> new Change.RemoveIntent(intent.key()))
                        .toList());
            }
        }
    }
}

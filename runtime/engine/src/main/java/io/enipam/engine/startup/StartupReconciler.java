package io.enipam.engine.startup;

import io.enipam.engine.model.Event;
import io.enipam.engine.model.SourceComparison;
import io.enipam.engine.pool.FactoryListComparison.ResourceLoss;
import io.enipam.engine.pool.LossEvents;
import io.enipam.engine.pool.ResourcePool;
import io.enipam.engine.pool.StaleRowRemover;
import io.enipam.engine.pool.ValidatedList;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.engine.startup.FactoryLister.FactoryListing;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Brings the pool in line with what a factory lists. Listed and known: it is what the database says. Listed and unknown: idle,
 * or, if its disposal had begun, disposed of once more. Known and not listed, twice: invalid, never lent again; its owner
 * keeps it until DEL.
 */
final class StartupReconciler {
    private final ResourcePool pool;
    private final EventSink events;
    private final StaleRowRemover staleRows;
    private final LossEvents notices;

    StartupReconciler(ResourcePool pool, EventSink events, StaleRowRemover staleRows) {
        this.pool = pool;
        this.events = events;
        this.staleRows = staleRows;
        this.notices = new LossEvents(events);
    }

    /** @return what was about to go back and is still there */
    List<Resource> compare(
            ResourceDb.Contents contents, NamedFactory factory, FactoryListing listed, ValidatedList sane) {
        Set<String> disposing = contents.intents().stream()
                .filter(intent -> intent.action() == Intent.Action.DISPOSE)
                .map(Intent::token)
                .collect(Collectors.toSet());
        // a list may be as old as the question: what came or went since is for the pool to say
        Set<ResourceId> known = listed.before();
        Set<ResourceId> there = pool.ids();
        List<Resource> goOn = new ArrayList<>();
        int idle = 0;
        for (Resource made : sane.resources()) {
            if (known.contains(made.id()) || there.contains(made.id()) || isUsed(made)) {
                continue;
            }
            Optional<Resource> rival = disposing.contains(made.id().value())
                    ? pool.membership().rival(made)
                    : pool.membership().keepAside(made);
            if (rival.isPresent()) {
                ValidatedList.clash(events, factory.name(), made, rival.get());
            } else if (disposing.contains(made.id().value())) {
                pool.membership().adoptDisposing(made);
                goOn.add(made);
            } else {
                pool.membership().adopt(made, Optional.empty());
                idle++;
            }
        }
        Set<ResourceId> has = pool.membership().madeBy(factory.name());
        List<ResourceLoss> losses = SourceComparison.of(has, id -> id, sane.resources(), Resource::id).left().stream()
                .filter(id -> sane.flawless() && listed.missed().contains(id) && known.contains(id))
                .flatMap(id -> pool.membership().invalidate(id).stream())
                .toList();
        List<ResourceId> lost =
                losses.stream().map(loss -> loss.resource().id()).toList();
        notices.lost(losses);
        if (!lost.isEmpty()) {
            staleRows.remove(lost.stream().<Change>map(Change.RemoveHold::new).toList());
        }
        events.publish(
                Event.Severity.INFO,
                "Recovered",
                factory.name(),
                "recovered " + contents.leases().size() + " leases and "
                        + contents.holds().size() + " holds; " + idle + " idle addresses found, " + lost.size()
                        + " lost, " + goOn.size() + " disposals taken up again",
                Map.of("factory", factory.name()));
        return goOn;
    }

    private boolean isUsed(Resource made) {
        return pool.membership().restoration().isBarred(made);
    }
}

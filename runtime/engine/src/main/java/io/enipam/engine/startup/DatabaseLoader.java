package io.enipam.engine.startup;

import io.enipam.engine.lease.LeaseContext;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.pool.PoolMembership;
import io.enipam.engine.pool.StaleRowRemover;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Loads the database into lease registry, pool and pod store. */
record DatabaseLoader(LeaseContext context, StaleRowRemover staleRows) {
    /** The greatest lag of a provider's list that is assumed. */
    private static final Duration MOST_LAG = Duration.ofMinutes(2);

    StoredState open() {
        ResourceDb.Contents contents = stamped(context.db().contents());
        PoolMembership membership = context.pool().membership();
        context.podStore().restore(contents.pods());
        AddressIndex<Lease> lent = new AddressIndex<>();
        List<Lease> aside = new ArrayList<>();
        contents.leases().stream()
                .sorted(Comparator.comparing(Lease::since).reversed())
                .forEach(lease -> {
                    if (lent.take(lease.resource(), lease)) {
                        context.leases().put(lease);
                        membership.adoptLent(lease.resource(), lease.owner(), lease.pod(), young(lease));
                    } else {
                        aside.add(lease);
                    }
                });
        Set<ResourceKey> inForce = new HashSet<>();
        AddressIndex<Hold> held = new AddressIndex<>();
        for (Hold hold : onePerResource(contents.holds())) {
            // the row stays that of the factory that it names
            Resource resource = stamped(hold.resource());
            if (lent.at(resource).isEmpty() && held.take(resource, hold)) {
                membership.adopt(hold.resource(), Optional.of(hold));
                inForce.add(ResourceKey.of(hold.resource()));
            }
        }
        staleRows.remove(contents.holds().stream()
                .map(hold -> ResourceKey.of(hold.resource()))
                .filter(row -> !inForce.contains(row))
                .distinct()
                .<Change>map(Change.RemoveHold::new)
                .toList());
        return new StoredState(contents, aside);
    }

    /** Leases are of the factories that there are: what no other has made is the active one's, as in the pool. */
    private ResourceDb.Contents stamped(ResourceDb.Contents stored) {
        return new ResourceDb.Contents(
                stored.leases().stream()
                        .map(lease -> new Lease(
                                lease.owner(),
                                lease.pod(),
                                lease.podUid(),
                                stamped(lease.resource()),
                                lease.stick(),
                                lease.since()))
                        .toList(),
                stored.holds(),
                stored.intents(),
                stored.operations(),
                stored.pods(),
                stored.node());
    }

    private Resource stamped(Resource resource) {
        return context.pool().factories().stamped(resource);
    }

    /** How long from now the outside's lists may not show what was lent: the run that made it knew, and is gone. */
    private Duration young(Lease lease) {
        Duration age = Duration.between(lease.since(), context.time().now());
        Duration left = MOST_LAG.minus(age.isNegative() ? Duration.ZERO : age);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Of two holds that have not ended and are of one resource the later one; only something else writes two. */
    private Collection<Hold> onePerResource(List<Hold> holds) {
        Map<ResourceKey, Hold> kept = new LinkedHashMap<>();
        Instant now = context.time().now();
        for (Hold hold : holds) {
            if (!hold.until().isAfter(now)) {
                continue;
            }
            ResourceKey key = ResourceKey.of(stamped(hold.resource()));
            Hold other = kept.put(key, hold);
            if (other != null) {
                kept.put(key, other.until().isAfter(hold.until()) ? other : hold);
                String what = "the database holds it twice, until " + other.until() + " and until " + hold.until()
                        + ": the later one counts, and goes away with the other";
                context.events().error("HeldTwice", hold.resource().id().value(), what);
            }
        }
        return kept.values();
    }

    /**
     * What the start-up found in the database.
     *
     * @param aside leases that are not loaded, since a newer one has their address
     */
    record StoredState(ResourceDb.Contents contents, List<Lease> aside) {
        static final StoredState NONE = new StoredState(
                new ResourceDb.Contents(List.of(), List.of(), List.of(), List.of(), List.of(), Optional.empty()),
                List.of());

        StoredState {
            aside = List.copyOf(aside);
        }

        /** Whether a start-up has completed on this database. */
        boolean settled() {
            return contents.node().filter(NodeRecord::settled).isPresent();
        }

        boolean isAside(OwnerKey owner) {
            return aside.stream().anyMatch(lease -> lease.owner().equals(owner));
        }

        /** What there was, for an operator. */
        String opened() {
            return contents.leases().size() + " leases, " + contents.holds().size() + " holds"
                    + (settled() ? "" : "; a new or lost database");
        }

        /** What was begun and not ended, for an operator. */
        String pending() {
            long disposals = contents.intents().stream()
                    .filter(intent -> intent.action() == Intent.Action.DISPOSE)
                    .count();
            long creates = contents.intents().size() - disposals;
            long calls = contents.operations().size();
            return disposals + creates + calls == 0
                    ? "none"
                    : disposals + " disposals to go on with, " + creates + " creates to look for, " + calls
                            + " calls of the cloud to check";
        }
    }
}

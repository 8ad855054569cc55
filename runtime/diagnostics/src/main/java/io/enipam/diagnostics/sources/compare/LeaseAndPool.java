package io.enipam.diagnostics.sources.compare;

import io.enipam.diagnostics.sources.PoolWord;
import io.enipam.diagnostics.sources.Saying;
import io.enipam.diagnostics.sources.Snapshot;
import io.enipam.diagnostics.sources.compare.Difference.Kind;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.ResourceId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Whatever is lent has a lease on disk, and a lease's resource is lent to its owner: DESIGN's second invariant. */
final class LeaseAndPool implements Comparison {
    @Override
    public List<Difference> differences(Snapshot snapshot) {
        Optional<ResourceDb.Contents> db = snapshot.told(ResourceDb.Contents.class);
        Optional<PoolWord> pool = snapshot.told(PoolWord.class);
        if (db.isEmpty() || pool.isEmpty()) {
            return List.of();
        }
        Map<ResourceId, PoolView.Entry> entries = new HashMap<>();
        pool.get()
                .pool()
                .entries()
                .forEach(entry -> entries.put(entry.resource().id(), entry));
        Map<OwnerKey, Lease> leases = new HashMap<>();
        db.get().leases().forEach(lease -> leases.put(lease.owner(), lease));
        List<Difference> found = new ArrayList<>();
        leases.values()
                .forEach(lease -> lease(
                        lease, Optional.ofNullable(entries.get(lease.resource().id())), found));
        entries.values().forEach(entry -> entry(entry, leases, found));
        return found;
    }

    private static void lease(Lease lease, Optional<PoolView.Entry> entry, List<Difference> found) {
        if (entry.flatMap(PoolView.Entry::owner).equals(Optional.of(lease.owner()))) {
            return;
        }
        String pool = entry.map(e -> e.state()
                        + e.owner()
                                .map(owner -> " by container " + owner.containerId())
                                .orElse(""))
                .orElse("not in it");
        found.add(new Difference(
                Kind.LEASE_NOT_IN_POOL,
                lease.owner().toString(),
                Facts.hosts(lease.resource()),
                Saying.eniOf(lease.resource()),
                Optional.of(lease.owner()),
                Optional.of(lease.pod()),
                "the lease of pod " + lease.pod() + " on disk is not the pool's",
                Facts.says(Facts.DATABASE, Facts.leased(lease), Facts.POOL, pool)));
    }

    private static void entry(PoolView.Entry entry, Map<OwnerKey, Lease> leases, List<Difference> found) {
        if (entry.owner().isEmpty()) {
            return;
        }
        OwnerKey owner = entry.owner().get();
        Optional<Lease> lease = Optional.ofNullable(leases.get(owner));
        if (lease.filter(l -> l.resource().id().equals(entry.resource().id())).isPresent()) {
            return;
        }
        found.add(new Difference(
                Kind.LENT_WITHOUT_LEASE,
                entry.resource().id().value(),
                Facts.hosts(entry.resource()),
                Saying.eniOf(entry.resource()),
                entry.owner(),
                entry.pod(),
                "address " + Facts.host(entry.resource()) + " is lent, and no lease on disk says so",
                Facts.says(
                        Facts.POOL,
                        entry.state() + " by container " + owner.containerId(),
                        Facts.DATABASE,
                        lease.map(l -> "its lease is of " + l.resource().id()).orElse("no lease"))));
    }
}

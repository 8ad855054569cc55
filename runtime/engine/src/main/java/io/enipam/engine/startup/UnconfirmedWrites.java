package io.enipam.engine.startup;

import static io.enipam.sdk.ResourceState.COOLING;
import static io.enipam.sdk.ResourceState.RESERVED;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.ResourcePool;
import io.enipam.engine.port.Change;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What was to be written so far. A commit that failed, or was not answered, may be on disk or get there; what has happened since
 * may contradict it. So the next one says of all that was touched how it stands.
 */
final class UnconfirmedWrites {
    private final ResourcePool pool;
    private final Set<OwnerKey> leases = new LinkedHashSet<>();
    private final Set<ResourceId> holds = new LinkedHashSet<>();

    UnconfirmedWrites(ResourcePool pool) {
        this.pool = pool;
    }

    void add(Collection<Change> changes) {
        for (Change change : changes) {
            if (change instanceof Change.PutLease put) {
                leases.add(put.lease().owner());
            } else if (change instanceof Change.RemoveLease remove) {
                leases.add(remove.owner());
            } else if (change instanceof Change.PutHold put) {
                holds.add(put.hold().resource().id());
            } else if (change instanceof Change.RemoveHold remove) {
                holds.add(remove.resource());
            }
        }
    }

    /**
     * Whatever was touched, as it should be without.
     *
     * @param rows the leases of the database
     * @param stored its holds, when it was opened; some may have ended since
     */
    List<Change> compensatingChanges(List<Lease> rows, List<Hold> stored) {
        List<Change> changes = new ArrayList<>();
        for (OwnerKey owner : leases) {
            changes.add(rows.stream()
                    .filter(row -> row.owner().equals(owner))
                    .findFirst()
                    .<Change>map(Change.PutLease::new)
                    .orElseGet(() -> new Change.RemoveLease(owner)));
        }
        for (ResourceId id : holds) {
            Optional<ResourceState> state = pool.state(id);
            Optional<Hold> hold = stored.stream()
                    .filter(one -> one.resource().id().equals(id))
                    .findFirst();
            if (state.filter(now -> now == COOLING || now == RESERVED).isEmpty()) {
                changes.add(new Change.RemoveHold(id));
            } else {
                // one that a DEL has put since is newer than what failed
                hold.ifPresent(known -> changes.add(new Change.PutHold(known)));
            }
        }
        return changes;
    }
}

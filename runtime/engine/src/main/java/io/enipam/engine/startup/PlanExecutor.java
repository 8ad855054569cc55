package io.enipam.engine.startup;

import static io.enipam.sdk.ResourceState.COOLING;
import static io.enipam.sdk.ResourceState.RESERVED;

import io.enipam.engine.lease.LeaseContext;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.PoolRepair;
import io.enipam.engine.pool.ResourcePool;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Carries a {@link RecoveryPlan} out: first on disk, then in memory. */
final class PlanExecutor {
    private final LeaseContext leasing;
    private final UnconfirmedWrites attempts;

    PlanExecutor(LeaseContext leasing) {
        this.leasing = leasing;
        this.attempts = new UnconfirmedWrites(leasing.pool());
    }

    /**
     * What has to be durable, at once, before anything is handed out. May be empty. What was to be written before and
     * failed may get to the disk all the same: its opposite comes first.
     *
     * @param rows the leases of the database as it should be now
     */
    List<Change> changes(RecoveryPlan verdict, List<Lease> rows, ResourceDb.Contents contents) {
        List<Change> undo = attempts.compensatingChanges(rows, contents.holds());
        List<Change> changes = changes(verdict, contents);
        attempts.add(changes);
        undo.addAll(changes);
        return undo;
    }

    private List<Change> changes(RecoveryPlan verdict, ResourceDb.Contents contents) {
        List<Change> changes = new ArrayList<>();
        Set<String> disposing = contents.intents().stream()
                .filter(intent -> intent.action() == Intent.Action.DISPOSE)
                .map(Intent::token)
                .collect(Collectors.toSet());
        verdict.dropped().forEach(lease -> changes.add(new Change.RemoveLease(lease.owner())));
        for (Lease lease : verdict.granted()) {
            changes.add(new Change.PutLease(lease));
            contents.holds().stream()
                    .filter(hold -> AddressIndex.same(hold.resource(), lease.resource()))
                    .forEach(hold ->
                            changes.add(new Change.RemoveHold(hold.resource().id())));
            changes.add(new Change.RemoveHold(lease.resource().id()));
            if (disposing.contains(lease.resource().id().value())) {
                changes.add(new Change.RemoveIntent(lease.resource().id().value()));
            }
        }
        verdict.freed().stream()
                .flatMap(lease -> coolDown(lease).stream())
                .forEach(hold -> changes.add(new Change.PutHold(hold)));
        return changes;
    }

    /** The address may still be in the tables of others: it cools down like after a DEL. */
    private Optional<Hold> coolDown(Lease lease) {
        Instant now = leasing.time().now();
        return leasing.coolDown().isZero()
                ? Optional.empty()
                : Optional.of(new Hold(
                        lease.resource(),
                        Hold.Purpose.COOLING,
                        lease.pod(),
                        now.plus(leasing.coolDown()),
                        leasing.coolDown()));
    }

    /**
     * Brings the state in memory in line with what is on disk by now.
     *
     * @param aside leases of the database that are not loaded, since another one has their address
     */
    void apply(RecoveryPlan verdict, List<Lease> aside) {
        PoolRepair pool = leasing.pool().membership().restoration();
        verdict.dropped().forEach(lease -> {
            if (leasing.book().find(lease.owner()).equals(Optional.of(lease))) {
                leasing.book().remove(lease.owner());
                pool.forget(lease.resource().id());
            }
        });
        verdict.freed().forEach(lease -> {
            pool.forget(lease.resource().id());
            leasing.pool().membership().adopt(lease.resource(), coolDown(lease));
        });
        aside.stream().filter(verdict.upheld()::contains).forEach(this::lend);
        verdict.granted().forEach(this::lend);
        verdict.strays().forEach(leasing.strays()::put);
    }

    private void lend(Lease lease) {
        leasing.book().put(lease);
        leasing.pool().membership().restoration().lend(lease.resource(), lease.owner(), lease.pod());
    }

    /**
     * What was to be written so far. A commit that failed, or was not answered, may be on disk or get there; what has
     * happened since may contradict it. So the next one says of all that was touched how it stands.
     */
    static final class UnconfirmedWrites {
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
}

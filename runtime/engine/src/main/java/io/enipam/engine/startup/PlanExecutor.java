package io.enipam.engine.startup;

import io.enipam.engine.lease.LeaseContext;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LeaseEnd;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.pool.PoolRepair;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Carries a {@link RecoveryPlan} out: first on disk, then in memory. */
final class PlanExecutor {
    private final LeaseContext context;
    /**
     * What was to be written so far. A commit that failed, or was not answered, may be on disk or get there; what has
     * happened since may contradict it. So the next one says of all that was touched how it stands.
     */
    private final Set<OwnerKey> touchedLeases = new LinkedHashSet<>();

    private final Set<ResourceKey> touchedHolds = new LinkedHashSet<>();

    PlanExecutor(LeaseContext context) {
        this.context = context;
    }

    /**
     * What has to be durable, at once, before anything is handed out. May be empty. What was to be written before and
     * failed may get to the disk all the same: its opposite comes first.
     *
     * @param rows the leases of the database as it should be now
     */
    List<Change> changes(RecoveryPlan plan, List<Lease> rows, ResourceDb.Contents contents) {
        List<Change> all = compensatingChanges(rows, contents.holds());
        List<Change> changes = changes(plan, contents);
        changes.forEach(this::touch);
        all.addAll(changes);
        return all;
    }

    private List<Change> changes(RecoveryPlan plan, ResourceDb.Contents contents) {
        List<Change> changes = new ArrayList<>();
        LeaseEnd conflict = new LeaseEnd(
                LeaseEnd.Reason.CONFLICT, "start-up", "", context.time().now());
        plan.dropped().forEach(lease -> changes.add(new Change.RemoveLease(lease.owner(), conflict)));
        for (Lease lease : plan.granted()) {
            changes.addAll(rowsOf(lease, contents.holds()));
            contents.intents().stream()
                    .filter(intent -> context.pool().factories().isDisposal(intent, lease.resource()))
                    .forEach(intent -> changes.add(new Change.RemoveIntent(intent.key())));
        }
        plan.freed().stream()
                .flatMap(lease -> coolDown(lease).stream())
                .forEach(hold -> changes.add(new Change.PutHold(hold)));
        return changes;
    }

    /** The rows of a new lease: nothing holds its address any more. */
    static List<Change> rowsOf(Lease lease, List<Hold> holds) {
        Stream<Change> ended = holds.stream()
                .map(Hold::resource)
                .filter(held -> AddressIndex.same(held, lease.resource()))
                .map(held -> new Change.RemoveHold(ResourceKey.of(held)));
        Stream<Change> own =
                Stream.of(new Change.PutLease(lease), new Change.RemoveHold(ResourceKey.of(lease.resource())));
        return Stream.concat(own, ended).distinct().toList();
    }

    /** The address may still be in the tables of others: it cools down like after a DEL. */
    private Optional<Hold> coolDown(Lease lease) {
        Duration coolDown = context.coolDown();
        Instant until = context.time().now().plus(coolDown);
        return coolDown.isZero()
                ? Optional.empty()
                : Optional.of(new Hold(lease.resource(), Hold.Purpose.COOLING, lease.pod(), until, coolDown));
    }

    /**
     * Brings the state in memory in line with what is on disk by now.
     *
     * @param aside leases of the database that are not loaded, since another one has their address
     */
    void apply(RecoveryPlan plan, List<Lease> aside) {
        PoolRepair pool = context.pool().repair();
        plan.dropped().forEach(lease -> {
            if (context.leases().find(lease.owner()).equals(Optional.of(lease))) {
                context.leases().remove(lease.owner());
                pool.forget(lease.resource());
            }
        });
        plan.freed().forEach(lease -> {
            pool.forget(lease.resource());
            context.pool().membership().adopt(lease.resource(), coolDown(lease));
        });
        aside.stream().filter(plan.upheld()::contains).forEach(this::lend);
        plan.granted().forEach(this::lend);
        plan.strays().forEach(context.strays()::put);
    }

    private void lend(Lease lease) {
        context.leases().put(lease);
        context.pool().repair().lend(lease.resource(), lease.owner(), lease.pod());
    }

    private void touch(Change change) {
        if (change instanceof Change.PutLease put) {
            touchedLeases.add(put.lease().owner());
        } else if (change instanceof Change.RemoveLease remove) {
            touchedLeases.add(remove.owner());
        } else if (change instanceof Change.PutHold put) {
            touchedHolds.add(ResourceKey.of(put.hold().resource()));
        } else if (change instanceof Change.RemoveHold remove) {
            touchedHolds.add(remove.resource());
        }
    }

    /**
     * Whatever was touched, as it should be without.
     *
     * @param stored its holds, when it was opened; some may have ended since
     */
    private List<Change> compensatingChanges(List<Lease> rows, List<Hold> stored) {
        List<Change> changes = new ArrayList<>();
        for (OwnerKey owner : touchedLeases) {
            changes.add(rows.stream()
                    .filter(row -> row.owner().equals(owner))
                    .findFirst()
                    .<Change>map(Change.PutLease::new)
                    .orElseGet(() -> new Change.RemoveLease(owner)));
        }
        for (ResourceKey row : touchedHolds) {
            if (!context.pool().isHeld(row)) {
                changes.add(new Change.RemoveHold(row));
            } else {
                // one that a DEL has put since is newer than what failed
                stored.stream()
                        .filter(hold -> ResourceKey.of(hold.resource()).equals(row))
                        .findFirst()
                        .ifPresent(known -> changes.add(new Change.PutHold(known)));
            }
        }
        return changes;
    }
}

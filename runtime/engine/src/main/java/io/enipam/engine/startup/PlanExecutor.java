package io.enipam.engine.startup;

import io.enipam.engine.lease.LeaseContext;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.pool.PoolRepair;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.Intent;
import io.enipam.engine.port.ResourceDb;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Carries a {@link RecoveryPlan} out: first on disk, then in the books. */
final class PlanExecutor {
    private final LeaseContext leasing;
    private final UnconfirmedWrites attempts;

    PlanExecutor(LeaseContext leasing) {
        this.leasing = leasing;
        this.attempts = new UnconfirmedWrites(leasing.pool());
    }

    /**
     * What has to be durable, at once, before anything is handed out. May be empty. What was to be written before and failed may
     * get to the disk all the same: its opposite comes first.
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
     * Brings the books in line with what is on disk by now.
     *
     * @param aside leases of the database that the books do not have, since another one has their address
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
}

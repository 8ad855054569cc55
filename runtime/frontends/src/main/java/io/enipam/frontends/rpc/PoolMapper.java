package io.enipam.frontends.rpc;

import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.pool.PoolSummary;
import io.enipam.engine.pool.PoolView;
import io.enipam.sdk.ResourceState;
import io.enipam.v1.GcSpared;
import io.enipam.v1.Owner;
import io.enipam.v1.Pool;
import io.enipam.v1.PoolOrder;
import io.enipam.v1.SyncReport;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The pool on the wire. */
final class PoolMapper {
    /** The order of the list: what can be allocated first comes first. */
    private static final List<ResourceState> ORDER = List.of(
            ResourceState.IDLE,
            ResourceState.COOLING,
            ResourceState.RESERVED,
            ResourceState.CREATING,
            ResourceState.INVALID,
            ResourceState.DISPOSING);

    private PoolMapper() {}

    static Pool pool(PoolSummary summary, CapacityOverride order) {
        Pool.Builder pool = Proto.fill(Pool.newBuilder(), summary);
        order(order).ifPresent(pool::setOrder);
        return pool.build();
    }

    static Optional<PoolOrder> order(CapacityOverride order) {
        return order.kind() == CapacityOverride.Kind.NONE
                ? Optional.empty()
                : Optional.of(Proto.fill(PoolOrder.newBuilder(), order).build());
    }

    /** All resources without an owner, idle first, then by the time it came into its state. */
    static List<PoolView.Entry> notLent(PoolView view) {
        return view.entries().stream()
                .filter(e -> e.owner().isEmpty())
                .sorted(Comparator.<PoolView.Entry>comparingInt(e -> ORDER.indexOf(e.state()))
                        .thenComparing(PoolView.Entry::since)
                        .thenComparing(e -> e.resource().id()))
                .toList();
    }

    static io.enipam.v1.Lease lease(Lease lease) {
        return Proto.fill(io.enipam.v1.Lease.newBuilder(), lease).build();
    }

    /** A lease with the state of what it lends. */
    static io.enipam.v1.Lease lease(Lease lease, Map<OwnerKey, ResourceState> states) {
        ResourceState state = states.getOrDefault(lease.owner(), ResourceState.IN_USE);
        return Proto.fill(io.enipam.v1.Lease.newBuilder().setState(state.name()), lease)
                .build();
    }

    static Owner owner(OwnerKey owner) {
        return Owner.newBuilder()
                .setNetwork(owner.network())
                .setContainer(owner.containerId())
                .setIfname(owner.ifName())
                .build();
    }

    private static GcSpared spared(GcReport.Spared spared) {
        return Proto.fill(GcSpared.newBuilder(), spared, spared.decision()).build();
    }

    static io.enipam.v1.GcReport report(GcReport report) {
        io.enipam.v1.GcReport.Builder wire = io.enipam.v1.GcReport.newBuilder()
                .setTook(Proto.duration(Duration.between(report.startedAt(), report.finishedAt())))
                .addAllSpared(Proto.all(report.spared(), PoolMapper::spared))
                .setExaminedGrants(report.claims().examined())
                .addAllCollectedGrants(Proto.all(report.claims().collected(), GrantMapper::end))
                .addAllSparedGrants(Proto.all(report.claims().spared(), GrantMapper::end));
        return Proto.fill(wire, report).build();
    }

    static SyncReport report(ReconcileReport report) {
        return Proto.fill(SyncReport.newBuilder(), report)
                .setTook(Proto.duration(Duration.between(report.startedAt(), report.finishedAt())))
                .build();
    }

    /** The states of what is lent, by owner. */
    static Map<OwnerKey, ResourceState> states(PoolView pool) {
        Map<OwnerKey, ResourceState> states = new HashMap<>();
        pool.entries().forEach(entry -> entry.owner().ifPresent(owner -> states.put(owner, entry.state())));
        return states;
    }
}

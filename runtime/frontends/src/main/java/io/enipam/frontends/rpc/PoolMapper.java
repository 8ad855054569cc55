package io.enipam.frontends.rpc;

import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.CapacityOverride.OverridePreview;
import io.enipam.engine.pool.PoolView;
import io.enipam.sdk.ResourceState;
import io.enipam.v1.Pool;
import io.enipam.v1.PoolCounts;
import io.enipam.v1.PoolEntry;
import io.enipam.v1.PoolOrder;
import io.enipam.v1.PoolProspect;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The pool on the wire. */
final class PoolMapper {
    /** What is most useful to somebody who looks for addresses comes first. */
    private static final List<ResourceState> ORDER = List.of(
            ResourceState.IDLE,
            ResourceState.COOLING,
            ResourceState.RESERVED,
            ResourceState.CREATING,
            ResourceState.INVALID,
            ResourceState.DISPOSING);

    private PoolMapper() {}

    static Pool pool(PoolView view, CapacityOverride order) {
        Pool.Builder pool = Pool.newBuilder()
                .setKind(view.kind())
                .setPolicy(view.policy())
                .setCapacity(view.capacity())
                .setMinIdle(view.minIdle())
                .setMaxIdle(view.maxIdle())
                .setCounts(counts(view.counts()))
                .setWaiting(view.waiting());
        order(order).ifPresent(pool::setOrder);
        return pool.build();
    }

    /** How many are in each state; one that is not in the map is 0. */
    static PoolCounts counts(Map<ResourceState, Integer> counts) {
        return PoolCounts.newBuilder()
                .setIdle(counts.getOrDefault(ResourceState.IDLE, 0))
                .setInUse(counts.getOrDefault(ResourceState.IN_USE, 0))
                .setCooling(counts.getOrDefault(ResourceState.COOLING, 0))
                .setReserved(counts.getOrDefault(ResourceState.RESERVED, 0))
                .setCreating(counts.getOrDefault(ResourceState.CREATING, 0))
                .setDisposing(counts.getOrDefault(ResourceState.DISPOSING, 0))
                .setInvalid(counts.getOrDefault(ResourceState.INVALID, 0))
                .build();
    }

    /** An order on the wire; empty for none. */
    static Optional<PoolOrder> order(CapacityOverride order) {
        if (order.kind() == CapacityOverride.Kind.NONE) {
            return Optional.empty();
        }
        PoolOrder.Builder wire = PoolOrder.newBuilder()
                .setKind(order.kind().name())
                .setIdle(order.idle())
                .setSince(ProtoTime.timestamp(order.since()));
        order.until().ifPresent(until -> wire.setUntil(ProtoTime.timestamp(until)));
        return Optional.of(wire.build());
    }

    static PoolProspect prospect(OverridePreview prospect) {
        return PoolProspect.newBuilder()
                .setIdle(prospect.idle())
                .setMakes(prospect.makes())
                .setGives(prospect.gives())
                .setKeeps(prospect.keeps())
                .setHeld(prospect.held())
                .setInUse(prospect.inUse())
                .setMissing(prospect.missing())
                .build();
    }

    /** Everything that nobody has, idle first, then by the time it came into its state. */
    static List<PoolEntry> notLent(PoolView view) {
        return view.entries().stream()
                .filter(e -> e.owner().isEmpty())
                .sorted(Comparator.<PoolView.Entry>comparingInt(e -> ORDER.indexOf(e.state()))
                        .thenComparing(PoolView.Entry::since)
                        .thenComparing(e -> e.resource().id()))
                .map(PoolMapper::entry)
                .toList();
    }

    private static PoolEntry entry(PoolView.Entry entry) {
        PoolEntry.Builder wire = PoolEntry.newBuilder()
                .setResource(LeaseMapper.resource(entry.resource()))
                .setState(entry.state().name())
                .setSince(ProtoTime.timestamp(entry.since()));
        entry.until().ifPresent(until -> wire.setUntil(ProtoTime.timestamp(until)));
        entry.pod().ifPresent(pod -> wire.setPod(pod.toString()));
        return wire.build();
    }
}

package io.enipam.frontends.rpc;

import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
import io.enipam.v1.GcCollected;
import io.enipam.v1.GcSpared;
import io.enipam.v1.Owner;
import java.time.Duration;
import java.util.Map;

/** Leases, what they lend, and what became of them, on the wire. */
final class LeaseMapper {
    private LeaseMapper() {}

    static io.enipam.v1.Lease lease(Lease lease) {
        return io.enipam.v1.Lease.newBuilder()
                .setPod(lease.pod().toString())
                .setPodUid(lease.podUid())
                .setOwner(owner(lease.owner()))
                .setResource(resource(lease.resource()))
                .setSince(ProtoTime.timestamp(lease.since()))
                .build();
    }

    /** A lease with the state of what it lends. */
    static io.enipam.v1.Lease lease(Lease lease, Map<OwnerKey, ResourceState> states) {
        ResourceState state = states.getOrDefault(lease.owner(), ResourceState.IN_USE);
        return lease(lease).toBuilder().setState(state.name()).build();
    }

    static Owner owner(OwnerKey owner) {
        return Owner.newBuilder()
                .setNetwork(owner.network())
                .setContainer(owner.containerId())
                .setIfname(owner.ifName())
                .build();
    }

    static io.enipam.v1.Resource resource(Resource resource) {
        return io.enipam.v1.Resource.newBuilder()
                .setId(resource.id().toString())
                .setKind(resource.kind().toString())
                .addAllAddresses(
                        resource.addresses().stream().map(Address::toString).toList())
                .setParent(resource.parent())
                .putAllAttributes(resource.attributes())
                .build();
    }

    private static GcSpared spared(GcReport.Spared spared) {
        GcSpared.Builder wire = GcSpared.newBuilder()
                .setLease(lease(spared.lease()))
                .setReason(spared.decision().reason());
        spared.decision().until().ifPresent(until -> wire.setUntil(ProtoTime.timestamp(until)));
        return wire.build();
    }

    static io.enipam.v1.GcReport report(GcReport report) {
        return io.enipam.v1.GcReport.newBuilder()
                .setStartedAt(ProtoTime.timestamp(report.startedAt()))
                .setTook(ProtoTime.duration(Duration.between(report.startedAt(), report.finishedAt())))
                .setDryRun(report.dryRun())
                .setExamined(report.examined())
                .addAllCollected(report.collected().stream()
                        .map(c -> GcCollected.newBuilder()
                                .setLease(lease(c.lease()))
                                .setReason(c.reason())
                                .build())
                        .toList())
                .addAllSpared(report.spared().stream().map(LeaseMapper::spared).toList())
                .addAllProblems(report.problems())
                .build();
    }
}

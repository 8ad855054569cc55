package io.enipam.frontends.rpc;

import io.enipam.diagnostics.sources.Statement;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.CapacityOverride.OverridePreview;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.EniSweeper;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
import io.enipam.v1.GcCollected;
import io.enipam.v1.GcSpared;
import io.enipam.v1.Owner;
import io.enipam.v1.Pool;
import io.enipam.v1.PoolCounts;
import io.enipam.v1.PoolEntry;
import io.enipam.v1.PoolOrder;
import io.enipam.v1.PoolProspect;
import io.enipam.v1.SweepReport;
import io.enipam.v1.SweptEni;
import io.enipam.v1.SyncFinding;
import io.enipam.v1.SyncReport;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The pool on the wire. */
final class PoolMapper {
    private static final int NAMED = 3;

    /** The order of the list: what can be allocated first comes first. */
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
                .setSince(Proto.timestamp(order.since()));
        order.until().ifPresent(until -> wire.setUntil(Proto.timestamp(until)));
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

    /** All resources without an owner, idle first, then by the time it came into its state. */
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
                .setResource(resource(entry.resource()))
                .setState(entry.state().name())
                .setSince(Proto.timestamp(entry.since()));
        entry.until().ifPresent(until -> wire.setUntil(Proto.timestamp(until)));
        entry.pod().ifPresent(pod -> wire.setPod(pod.toString()));
        return wire.build();
    }

    static io.enipam.v1.Lease lease(Lease lease) {
        return io.enipam.v1.Lease.newBuilder()
                .setPod(lease.pod().toString())
                .setPodUid(lease.podUid())
                .setOwner(owner(lease.owner()))
                .setResource(resource(lease.resource()))
                .setSince(Proto.timestamp(lease.since()))
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
                .addAllAddresses(Proto.all(resource.addresses(), Address::toString))
                .setParent(resource.parent())
                .putAllAttributes(resource.attributes())
                .build();
    }

    private static GcSpared spared(GcReport.Spared spared) {
        GcSpared.Builder wire = GcSpared.newBuilder()
                .setLease(lease(spared.lease()))
                .setReason(spared.decision().reason());
        spared.decision().until().ifPresent(until -> wire.setUntil(Proto.timestamp(until)));
        return wire.build();
    }

    static io.enipam.v1.GcReport report(GcReport report) {
        return io.enipam.v1.GcReport.newBuilder()
                .setStartedAt(Proto.timestamp(report.startedAt()))
                .setTook(Proto.duration(Duration.between(report.startedAt(), report.finishedAt())))
                .setDryRun(report.dryRun())
                .setExamined(report.examined())
                .addAllCollected(report.collected().stream()
                        .map(c -> GcCollected.newBuilder()
                                .setLease(lease(c.lease()))
                                .setReason(c.reason())
                                .build())
                        .toList())
                .addAllSpared(Proto.all(report.spared(), PoolMapper::spared))
                .addAllProblems(report.problems())
                .build();
    }

    static SyncReport report(ReconcileReport report) {
        return SyncReport.newBuilder()
                .setStartedAt(Proto.timestamp(report.startedAt()))
                .setTook(Proto.duration(Duration.between(report.startedAt(), report.finishedAt())))
                .setListed(report.listed())
                .addAllFindings(Proto.all(report.findings(), PoolMapper::finding))
                .addAllProblems(report.problems())
                .build();
    }

    private static SyncFinding finding(ReconcileReport.Finding finding) {
        SyncFinding.Builder wire = SyncFinding.newBuilder()
                .setKind(finding.kind().name())
                .setResource(PoolMapper.resource(finding.resource()))
                .setDetail(finding.detail());
        finding.pod().ifPresent(pod -> wire.setPod(pod.toString()));
        return wire.build();
    }

    /** A line for each ENI of which the cloud has taken addresses that pods have. */
    static List<String> conditions(PoolView pool) {
        Map<String, List<PoolView.Entry>> byEni = pool.entries().stream()
                .filter(entry ->
                        entry.state() == ResourceState.INVALID && entry.owner().isPresent())
                .collect(Collectors.groupingBy(
                        entry -> Statement.eniOf(entry.resource()), TreeMap::new, Collectors.toList()));
        return byEni.entrySet().stream()
                .map(eni -> eni.getValue().size() == 1
                        ? condition(eni.getValue().get(0))
                        : condition(eni.getKey(), eni.getValue()))
                .toList();
    }

    private static String condition(PoolView.Entry entry) {
        return "pod " + entry.pod().map(Object::toString).orElse("") + " has no network: the cloud took "
                + AddressFormat.of(entry.resource())
                + (entry.resource().parent().isEmpty()
                        ? ""
                        : " off " + entry.resource().parent())
                + "; delete the pod";
    }

    private static String condition(String eni, List<PoolView.Entry> entries) {
        String first = entries.stream()
                .flatMap(entry -> entry.pod().stream())
                .map(Object::toString)
                .sorted()
                .limit(NAMED)
                .collect(Collectors.joining(", "));
        int more = entries.size() - NAMED;
        return entries.size() + " pods have no network: the cloud took their addresses on " + eni
                + " away; delete them (" + first + (more > 0 ? " and " + more + " more" : "")
                + ") unless it comes back";
    }

    /** The states of what is lent, by owner. */
    static Map<OwnerKey, ResourceState> states(PoolView pool) {
        Map<OwnerKey, ResourceState> states = new HashMap<>();
        pool.entries().forEach(entry -> entry.owner().ifPresent(owner -> states.put(owner, entry.state())));
        return states;
    }

    static SweepReport report(EniSweeper.Report report) {
        return SweepReport.newBuilder()
                .setStartedAt(Proto.timestamp(report.startedAt()))
                .setTook(Proto.duration(report.took()))
                .setDryRun(report.dryRun())
                .setExamined(report.examined())
                .addAllCandidates(Proto.all(report.candidates(), PoolMapper::candidate))
                .build();
    }

    private static SweptEni candidate(EniSweeper.Candidate candidate) {
        SweptEni.Builder wire = SweptEni.newBuilder()
                .setId(candidate.id())
                .setState(candidate.state())
                .setVswitch(candidate.vswitch())
                .addAllAddresses(candidate.addresses())
                .setTaken(candidate.taken())
                .setReason(candidate.reason());
        candidate.createdAt().ifPresent(at -> wire.setCreatedAt(Proto.timestamp(at)));
        candidate.age().ifPresent(age -> wire.setAge(Proto.duration(age)));
        return wire.build();
    }
}

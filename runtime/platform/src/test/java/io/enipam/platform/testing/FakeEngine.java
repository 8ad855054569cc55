package io.enipam.platform.testing;

import io.enipam.engine.EngineConfig;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.PendingWork;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.DelProcedure.DelOutcome;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.lease.OrphanRule.OrphanDecision;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.CapacityOverride.OverridePreview;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.pool.PoolSummary;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.PolicyPort;
import io.enipam.sdk.Activity;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** An engine that lends 10.0.0.1, .2, ... of one ENI, up to a capacity, and cools what comes back for ever. */
public final class FakeEngine implements IpamEngine {
    private volatile Consumer<CapacityOverride> whoGave = change -> {};
    private volatile CapacityOverride standing = CapacityOverride.none(Instant.EPOCH);
    public static final Instant AT = Instant.parse("2026-01-02T03:04:05Z");

    private final int capacity;
    private volatile String kindOfPool = "eni-ip";
    private volatile Map<String, String> attributes = Map.of(Resource.MAC, "02:00:00:00:00:01");
    private final TreeMap<OwnerKey, Lease> leases = new TreeMap<>();
    private final List<PoolView.Entry> entries = new ArrayList<>();
    private final List<AddCommand> asked = new ArrayList<>();
    private volatile List<FactoryView> factories = List.of();
    private int made;
    private boolean lost;
    private volatile Optional<ReconcileReport> lastReconcile = Optional.empty();
    private volatile EngineStatus.Phase phase = EngineStatus.Phase.NEW;
    private volatile PendingWork agenda = PendingWork.empty(AT);
    private volatile Optional<ResourceFactory> factory = Optional.empty();
    private volatile Optional<RuntimeException> failure = Optional.empty();

    public FakeEngine(int capacity) {
        this.capacity = capacity;
    }

    /** What it tells of each address that it lends from now on. */
    public void lendWith(Map<String, String> more) {
        attributes = Map.copyOf(more);
    }

    /** What it says that its pool holds, whatever that is. */
    public FakeEngine lending(String kind) {
        kindOfPool = kind;
        return this;
    }

    /** Its start lists this factory, as the real one does. */
    public FakeEngine recoveringFrom(ResourceFactory listed) {
        factory = Optional.of(listed);
        return this;
    }

    /** Every later call of add fails in this way. */
    public void failWith(RuntimeException cause) {
        failure = Optional.of(cause);
    }

    /** What add was asked for, in order. */
    public synchronized List<AddCommand> asked() {
        return List.copyOf(asked);
    }

    /** Somebody has it. */
    public synchronized void put(Lease lease) {
        leases.put(lease.owner(), lease);
    }

    /** Adds an address to the pool that nobody has. */
    public synchronized void put(ResourceState state, Instant since) {
        entries.add(new PoolView.Entry(resource(), state, since, Optional.empty(), Optional.empty(), Optional.empty()));
    }

    @Override
    public CompletableFuture<Void> start() {
        phase = EngineStatus.Phase.RECOVERING;
        CompletableFuture<?> listed = factory.<CompletableFuture<?>>map(
                        f -> f.list().toCompletableFuture())
                .orElseGet(() -> CompletableFuture.completedFuture(null));
        return listed.thenAccept(done -> phase = EngineStatus.Phase.READY);
    }

    @Override
    public synchronized CompletableFuture<AddOutcome> add(AddCommand command) {
        asked.add(command);
        if (failure.isPresent()) {
            return CompletableFuture.failedFuture(failure.get());
        }
        Lease held = leases.get(command.owner());
        if (held != null) {
            return CompletableFuture.completedFuture(new AddOutcome(held, true, DatapathResult.NONE));
        }
        if (leases.size() >= capacity) {
            return CompletableFuture.failedFuture(new IpamException(
                    ErrorCode.POOL_EXHAUSTED,
                    "capacity " + capacity + " is reached, " + leases.size() + " in use",
                    "delete a pod"));
        }
        Lease lease = new Lease(command.owner(), command.pod(), "uid", resource(), Duration.ZERO, AT);
        leases.put(command.owner(), lease);
        return CompletableFuture.completedFuture(new AddOutcome(lease, false, DatapathResult.NONE));
    }

    private Resource resource() {
        made++;
        String ip = "10.0." + made / 250 + "." + (made % 250 + 1);
        return new Resource(
                new ResourceId("eni-1/" + ip),
                ResourceKind.ENI_IP,
                List.of(Address.parse(ip + "/24")),
                "eni-1",
                attributes);
    }

    @Override
    public synchronized CompletableFuture<DelOutcome> del(OwnerKey owner, String by) {
        Optional<Lease> lease = Optional.ofNullable(leases.remove(owner));
        return CompletableFuture.completedFuture(new DelOutcome(
                lease,
                lease.map(
                        l -> new Hold(l.resource(), Hold.Purpose.COOLING, l.pod(), AT.plusSeconds(30), Duration.ZERO)),
                lease.map(l -> ResourceState.COOLING)));
    }

    @Override
    public synchronized CompletableFuture<GcReport> collect(boolean dryRun) {
        List<GcReport.Collected> collected = leases.values().stream()
                .map(l -> new GcReport.Collected(l, "the pod is gone"))
                .toList();
        return CompletableFuture.completedFuture(new GcReport(
                AT,
                AT.plusMillis(1500),
                dryRun,
                leases.size(),
                collected,
                List.of(),
                List.of(),
                GcReport.ClaimsReport.NONE));
    }

    @Override
    public synchronized CompletableFuture<Optional<OrphanDecision>> decide(OwnerKey owner) {
        return CompletableFuture.completedFuture(
                Optional.ofNullable(leases.get(owner)).map(lease -> new OrphanDecision.Orphan("the pod is gone")));
    }

    /** The cloud takes the address of whoever has one: the next comparison finds it out. */
    public synchronized void loseWhatIsLent() {
        lost = true;
    }

    @Override
    public void retryCreates() {}

    @Override
    public synchronized CompletableFuture<ReconcileReport> reconcile(boolean acceptLoss) {
        List<ReconcileReport.Finding> findings = !lost
                ? List.of()
                : leases.values().stream()
                        .map(l -> new ReconcileReport.Finding(
                                ReconcileReport.Kind.LOST, l.resource(), Optional.of(l.pod()), "gone"))
                        .toList();
        ReconcileReport report = new ReconcileReport(AT, AT.plusMillis(250), entries.size(), findings, List.of());
        lastReconcile = Optional.of(report);
        return CompletableFuture.completedFuture(report);
    }

    @Override
    public EngineStatus status() {
        return new EngineStatus(phase, AT, "", AT, Optional.empty(), lastReconcile, List.of(), Optional.empty());
    }

    @Override
    public synchronized PoolView pool() {
        List<PoolView.Entry> all = new ArrayList<>(entries);
        leases.values()
                .forEach(l -> all.add(new PoolView.Entry(
                        l.resource(),
                        lost ? ResourceState.INVALID : ResourceState.IN_USE,
                        l.since(),
                        Optional.empty(),
                        Optional.of(l.owner()),
                        Optional.of(l.pod()))));
        return view(AT, kindOfPool, new Watermarks(1, 2, capacity), 0, 0, all);
    }

    /** A view of these entries under the built-in policy, with the summary that follows from them. */
    public static PoolView view(
            Instant at, String kind, Watermarks watermarks, int creating, int waiting, List<PoolView.Entry> entries) {
        Map<ResourceState, Integer> counts =
                entries.stream().collect(Collectors.toMap(PoolView.Entry::state, entry -> 1, Integer::sum));
        counts.put(ResourceState.CREATING, creating);
        int leased = (int)
                entries.stream().filter(entry -> entry.owner().isPresent()).count();
        return new PoolView(at, new PoolSummary(kind, "watermark", watermarks, waiting, leased, counts), entries);
    }

    @Override
    public PoolSummary poolSummary() {
        return pool().summary();
    }

    @Override
    public PendingWork pendingWork() {
        return agenda;
    }

    /** What it says from now on of what is under way. */
    public void plan(PendingWork next) {
        agenda = next;
    }

    @Override
    public synchronized List<Lease> leases() {
        return List.copyOf(leases.values());
    }

    @Override
    public synchronized Optional<Lease> lease(OwnerKey owner) {
        return Optional.ofNullable(leases.get(owner));
    }

    @Override
    public synchronized List<Lease> leasesOf(PodRef pod) {
        return leases.values().stream().filter(l -> l.pod().equals(pod)).toList();
    }

    @Override
    public void close() {
        phase = EngineStatus.Phase.STOPPED;
    }

    @Override
    public void capacityOverride(CapacityOverride order, Consumer<CapacityOverride> changes) {
        standing = order;
        whoGave = changes;
    }

    /** What the real one tells by itself: the order was carried out, or is over. */
    public void orderBecame(CapacityOverride change) {
        standing = change;
        whoGave.accept(change);
    }

    @Override
    public CapacityOverride capacityOverride() {
        return standing;
    }

    @Override
    public OverridePreview previewOverride(CapacityOverride order) {
        return new OverridePreview(2, order.idle(), order.kind() == CapacityOverride.Kind.DRAINED ? 1 : 0, 1, 0, 0, 0);
    }

    @Override
    public PoolSnapshot snapshot() {
        return new PoolSnapshot(AT, ResourceKind.ENI_IP, capacity, 0, 0, 0, 0, Activity.NONE, List.of());
    }

    @Override
    public void use(PolicyPort policy) {
        throw new UnsupportedOperationException("this fake has one policy");
    }

    @Override
    public void reconfigure(EngineConfig next) {
        // it has no knobs
    }

    @Override
    public CompletableFuture<Void> switchFactory(NamedFactory next) {
        throw new UnsupportedOperationException("this fake has one factory");
    }

    @Override
    public boolean cancelSwitch(IpamException why) {
        return false;
    }

    /** Which factory makes what it lends from now on. */
    public void makeBy(String name) {
        factories = List.of(new FactoryView(name, FactoryView.Role.ACTIVE, 0, 0));
    }

    @Override
    public List<FactoryView> factories() {
        return factories;
    }
}

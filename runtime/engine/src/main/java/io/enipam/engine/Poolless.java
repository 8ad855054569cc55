package io.enipam.engine;

import io.enipam.engine.EngineStatus.Phase;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.DelProcedure.DelOutcome;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.lease.OrphanRule.OrphanDecision;
import io.enipam.engine.model.ErrorCode;
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
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolSnapshot;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The engine of a daemon without a pool, that of role CLUSTER: it serves at once, has nothing, and refuses whatever is about
 * addresses with {@link ErrorCode#NOT_FOUND}. Thread-safe.
 */
public final class Poolless implements IpamEngine {
    /** What such a daemon does not have, for an operator. */
    public static final String LACKS = "this daemon has role cluster: it has no pool, no pods and no ENIs";

    private final TimeSource time;
    private final Instant since;
    private volatile Phase phase = Phase.READY;

    public Poolless(TimeSource time) {
        this.time = time;
        this.since = time.now();
    }

    /** What a caller gets that asks for something of the pool. */
    public static IpamException refusal() {
        return new IpamException(ErrorCode.NOT_FOUND, LACKS, "ask the daemon of a node: enipam --node NAME");
    }

    private static <T> CompletableFuture<T> refused() {
        return CompletableFuture.failedFuture(refusal());
    }

    @Override
    public boolean hasPool() {
        return false;
    }

    @Override
    public CompletableFuture<Void> start() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public EngineStatus status() {
        return new EngineStatus(
                phase, since, "", since, Optional.empty(), Optional.empty(), List.of(), Optional.empty());
    }

    @Override
    public PoolSummary poolSummary() {
        return new PoolSummary("", "", new Watermarks(0, 0, 0), 0, 0, Map.of());
    }

    @Override
    public PendingWork pendingWork() {
        return PendingWork.empty(time.now());
    }

    @Override
    public CapacityOverride capacityOverride() {
        return CapacityOverride.none(since);
    }

    @Override
    public List<FactoryView> factories() {
        return List.of();
    }

    @Override
    public void reconfigure(EngineConfig next) {
        // it has none of what these values are for
    }

    @Override
    public CompletableFuture<AddOutcome> add(AddCommand command) {
        return refused();
    }

    @Override
    public CompletableFuture<DelOutcome> del(OwnerKey owner, String by) {
        return refused();
    }

    @Override
    public CompletableFuture<GcReport> collect(boolean dryRun) {
        return refused();
    }

    @Override
    public CompletableFuture<Optional<OrphanDecision>> decide(OwnerKey owner) {
        return refused();
    }

    @Override
    public CompletableFuture<ReconcileReport> reconcile(boolean acceptLoss) {
        return refused();
    }

    @Override
    public void retryCreates() {
        throw refusal();
    }

    @Override
    public CompletableFuture<Void> switchFactory(NamedFactory next) {
        return refused();
    }

    @Override
    public boolean cancelSwitch(IpamException why) {
        return false;
    }

    @Override
    public PoolView pool() {
        throw refusal();
    }

    @Override
    public void capacityOverride(CapacityOverride order, Consumer<CapacityOverride> changes) {
        throw refusal();
    }

    @Override
    public OverridePreview previewOverride(CapacityOverride order) {
        throw refusal();
    }

    @Override
    public PoolSnapshot snapshot() {
        throw refusal();
    }

    @Override
    public List<Lease> leases() {
        throw refusal();
    }

    @Override
    public Optional<Lease> lease(OwnerKey owner) {
        throw refusal();
    }

    @Override
    public List<Lease> leasesOf(PodRef pod) {
        throw refusal();
    }

    @Override
    public void use(PolicyPort policy) {
        throw refusal();
    }

    @Override
    public void close() {
        phase = Phase.STOPPED;
    }
}

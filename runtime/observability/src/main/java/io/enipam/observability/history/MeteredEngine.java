package io.enipam.observability.history;

import io.enipam.engine.EngineConfig;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.PendingWork;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.DelProcedure.DelOutcome;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.lease.OrphanRule.OrphanDecision;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.CapacityOverride.OverridePreview;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.PolicyPort;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolSnapshot;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** An engine whose ADD and DEL are counted, whoever calls them. Thread-safe. */
public final class MeteredEngine implements IpamEngine {
    private final IpamEngine engine;
    private final Meters meters;

    public MeteredEngine(IpamEngine engine, Meters meters) {
        this.engine = engine;
        this.meters = meters;
    }

    @Override
    public CompletableFuture<AddOutcome> add(AddCommand command) {
        return meters.add()
                .measured(() -> engine.add(command)
                        .whenComplete((outcome, failure) ->
                                meters.failedAdds().ended(command, Optional.ofNullable(failure))));
    }

    @Override
    public CompletableFuture<DelOutcome> del(OwnerKey owner) {
        return meters.del().measured(() -> engine.del(owner));
    }

    @Override
    public CompletableFuture<DelOutcome> del(OwnerKey owner, String by) {
        return meters.del().measured(() -> engine.del(owner, by));
    }

    @Override
    public CompletableFuture<Void> start() {
        return engine.start();
    }

    @Override
    public CompletableFuture<GcReport> collect(boolean dryRun) {
        return engine.collect(dryRun);
    }

    @Override
    public CompletableFuture<Optional<OrphanDecision>> decide(OwnerKey owner) {
        return engine.decide(owner);
    }

    @Override
    public CompletableFuture<ReconcileReport> reconcile() {
        return engine.reconcile();
    }

    @Override
    public void capacityOverride(CapacityOverride order, Consumer<CapacityOverride> changes) {
        engine.capacityOverride(order, changes);
    }

    @Override
    public CapacityOverride capacityOverride() {
        return engine.capacityOverride();
    }

    @Override
    public OverridePreview previewOverride(CapacityOverride order) {
        return engine.previewOverride(order);
    }

    @Override
    public EngineStatus status() {
        return engine.status();
    }

    @Override
    public PoolView pool() {
        return engine.pool();
    }

    @Override
    public PendingWork pendingWork() {
        return engine.pendingWork();
    }

    @Override
    public PoolSnapshot snapshot() {
        return engine.snapshot();
    }

    @Override
    public List<Lease> leases() {
        return engine.leases();
    }

    @Override
    public Optional<Lease> lease(OwnerKey owner) {
        return engine.lease(owner);
    }

    @Override
    public List<Lease> leasesOf(PodRef pod) {
        return engine.leasesOf(pod);
    }

    @Override
    public void reconfigure(EngineConfig next) {
        engine.reconfigure(next);
    }

    @Override
    public void use(PolicyPort policy) {
        engine.use(policy);
    }

    @Override
    public CompletableFuture<Void> switchFactory(NamedFactory next) {
        return engine.switchFactory(next);
    }

    @Override
    public List<FactoryView> factories() {
        return engine.factories();
    }

    @Override
    public void close() {
        engine.close();
    }
}

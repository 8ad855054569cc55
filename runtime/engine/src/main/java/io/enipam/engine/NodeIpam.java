package io.enipam.engine;

import io.enipam.engine.EngineStatus.Phase;
import io.enipam.engine.concurrent.KeyedQueue;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.DelProcedure;
import io.enipam.engine.lease.DelProcedure.DelOutcome;
import io.enipam.engine.lease.GarbageCollector;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.lease.LeaseContext;
import io.enipam.engine.lease.LeaseRegistry;
import io.enipam.engine.lease.OrphanRule.OrphanDecision;
import io.enipam.engine.lease.PodLookup;
import io.enipam.engine.lease.PodStore;
import io.enipam.engine.lease.UnmanagedSandboxRegistry;
import io.enipam.engine.lease.WatchedPodView;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.policy.PolicyGuard;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.CapacityOverride.OverridePreview;
import io.enipam.engine.pool.FactoryRegistry;
import io.enipam.engine.pool.FactorySwitchover;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.engine.pool.PoolListener;
import io.enipam.engine.pool.PoolListener.HoldExpired;
import io.enipam.engine.pool.PoolListener.ReservationPreempted;
import io.enipam.engine.pool.PoolReconciler;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.pool.PoolSettings;
import io.enipam.engine.pool.PoolSummary;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.Provisioner;
import io.enipam.engine.pool.ResourcePool;
import io.enipam.engine.pool.StaleRowRemover;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.GrantDirectory;
import io.enipam.engine.port.PolicyPort;
import io.enipam.engine.port.ResourceDb.DbTrouble;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
import io.enipam.engine.startup.Startup;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The engine of one node: one pool, its provisioner, the leases, the garbage collector and the start-up, put together.
 *
 * <p>It owns the phases ({@link Phase}); the timers are in {@link PeriodicTasks}, and every rule lives in one of its
 * parts. {@code this} guards the phase.
 */
public final class NodeIpam implements IpamEngine {
    private final EngineContext engine;
    /** Replaced as a whole. */
    private volatile EngineConfig config;

    private final PolicyGuard policy;
    private final FactoryRegistry registry;
    private final ResourcePool pool;
    private final FactorySwitchover switchover;
    /** Leaving factories whose resources are the active one's: nothing has to drain. */
    private final List<NamedFactory> absorbed;

    private final StaleRowRemover staleRows;
    private final Provisioner provisioner;
    private final AddProcedure add;
    private final PodLookup pods;
    private final LeaseContext context;
    private final GrantDirectory grants;
    private final GarbageCollector gc;
    private final Startup startup;
    private final PoolReconciler reconciler;
    private final PeriodicTasks periodic;
    private final Instant startedAt;

    private Phase phase = Phase.NEW;
    private Instant phaseSince;
    private String detail = "not started";
    private boolean unwritable;
    private Optional<GcReport> lastGc = Optional.empty();

    public NodeIpam(EngineConfig config, EnginePorts ports) {
        this.config = config;
        this.engine = ports.context();
        this.startedAt = engine.time().now();
        this.phaseSince = startedAt;
        this.staleRows = new StaleRowRemover(engine.db(), engine.events());
        engine.db().watch(this::databaseHealth);
        this.policy = new PolicyGuard(ports.policy());
        this.registry = new FactoryRegistry(ports.supplies());
        NamedFactory active = registry.active();
        this.pool = new ResourcePool(
                engine.time(),
                engine.scheduler(),
                new PoolSettings(active.name(), FactoryRegistry.kindOf(active), config.watermarks(), config.families()),
                policy,
                new PoolEventHandler(),
                pod -> new WatchedPodView(pod, ports.pods()));
        this.absorbed = registry.others().stream()
                .filter(leaving -> leaving.provider().equals(active.provider()))
                .toList();
        absorbed.forEach(leaving -> registry.forget(leaving.name()));
        pool.factories().provides(registry.active().name(), registry.active().provider());
        registry.others().forEach(leaving -> {
            pool.factories().provides(leaving.name(), leaving.provider());
            pool.factories().leaveOnceListed(leaving.name());
        });
        this.provisioner =
                new Provisioner(engine, staleRows, registry, policy, pool, config.families(), config.createTimeout());
        this.switchover = new FactorySwitchover(
                engine, registry, pool, provisioner, ports.supplies().drained());
        LeaseContext.State state = new LeaseContext.State(
                new LeaseRegistry(),
                new PodStore(engine.time(), engine.db()),
                new UnmanagedSandboxRegistry(pool.repair()),
                new KeyedQueue<>());
        this.context = new LeaseContext(
                engine, ports.pods(), ports.datapath(), pool, policy, state, () -> this.config.coolDown());
        this.add = new AddProcedure(context);
        this.pods = new PodLookup(context);
        DelProcedure del = new DelProcedure(context);
        this.grants = ports.grants();
        this.gc = new GarbageCollector(context, del, grants);
        this.startup = new Startup(context, del, staleRows, registry, provisioner, ports.machine());
        this.reconciler = new PoolReconciler(engine, registry, pool, provisioner, switchover::incoming, startup::found);
        this.periodic = new PeriodicTasks(
                () -> this.config,
                engine,
                registry,
                pool,
                provisioner,
                () -> {
                    staleRows.retry(pool);
                    context.podStore().purgeExpired();
                },
                () -> inPhase(Phase.READY));
    }

    @Override
    public CompletableFuture<Void> start() {
        synchronized (this) {
            if (phase != Phase.NEW) {
                return CompletableFuture.failedFuture(new IllegalStateException("started already"));
            }
            // under the lock, so that no DEL comes before the leases are known
            startup.open();
            enter(Phase.RECOVERING, "");
        }
        return startup.run(() -> inPhase(Phase.RECOVERING) || inPhase(Phase.READY))
                .thenRun(this::serve);
    }

    private void serve() {
        synchronized (this) {
            if (phase != Phase.RECOVERING) {
                return;
            }
            enter(Phase.READY, "");
        }
        engine.events().info("EngineReady", "engine", "serving");
        absorbed.forEach(factory -> switchover.drained(factory.name()));
        periodic.begin(() -> collect(false), this::reconcile);
    }

    @Override
    public CompletableFuture<AddOutcome> add(AddCommand command) {
        Optional<IpamException> refusal;
        synchronized (this) {
            refusal = phase == Phase.READY ? Optional.empty() : Optional.of(tooEarly("ADD"));
        }
        return refusal.map(why -> turnedAway(command, why)).orElseGet(() -> add.add(command));
    }

    private CompletableFuture<AddOutcome> turnedAway(AddCommand command, IpamException refusal) {
        Trace trace = engine.traces().begin(Trace.Operation.ADD, TraceSink.Subject.of(command.owner(), command.pod()));
        trace.with("by", command.by());
        trace.failed(refusal.code().name(), refusal.getMessage(), refusal.hint());
        return CompletableFuture.failedFuture(refusal);
    }

    @Override
    public CompletableFuture<DelOutcome> del(OwnerKey owner, String by) {
        synchronized (this) {
            if (phase == Phase.NEW || phase == Phase.STOPPED) {
                return CompletableFuture.failedFuture(tooEarly("DEL"));
            }
        }
        return startup.del(owner, by);
    }

    @Override
    public CompletableFuture<GcReport> collect(boolean dryRun) {
        return whenReady(
                "a garbage collection",
                () -> gc.collect(dryRun).thenApply(report -> {
                    if (!dryRun) {
                        synchronized (this) {
                            lastGc = Optional.of(report);
                        }
                    }
                    return report;
                }));
    }

    @Override
    public CompletableFuture<Optional<OrphanDecision>> decide(OwnerKey owner) {
        return whenReady("a decision about a lease", () -> gc.decide(owner));
    }

    @Override
    public CompletableFuture<ReconcileReport> reconcile(boolean acceptLoss) {
        return whenReady(
                "a comparison with the cloud",
                () -> reconciler.run(acceptLoss).thenApply(report -> {
                    // ENIs that another actor has attached take slots
                    periodic.askCapacity();
                    return report;
                }));
    }

    private <T> CompletableFuture<T> whenReady(String what, Supplier<CompletableFuture<T>> call) {
        synchronized (this) {
            if (phase != Phase.READY) {
                return CompletableFuture.failedFuture(tooEarly(what));
            }
        }
        return call.get();
    }

    @Override
    public synchronized EngineStatus status() {
        return new EngineStatus(
                phase,
                phaseSince,
                detail(),
                startedAt,
                lastGc,
                reconciler.last(),
                startup.progress().reports(),
                startup.trouble().map(trouble -> trouble.getMessage() + "; " + trouble.hint()));
    }

    @Override
    public Optional<String> policyTrouble() {
        return provisioner.policyTrouble();
    }

    @Override
    public PoolView pool() {
        return pool.view();
    }

    @Override
    public PoolSummary poolSummary() {
        return pool.summary();
    }

    @Override
    public PendingWork pendingWork() {
        return new PendingWork(
                engine.time().now(),
                context.turns().keys(),
                pool.queue(),
                provisioner.pendingCreates(),
                provisioner.createRetryState(),
                provisioner.disposals(),
                inPhase(Phase.READY) ? periodic.next() : PendingWork.NextRuns.NONE);
    }

    @Override
    public void capacityOverride(CapacityOverride order, Consumer<CapacityOverride> changes) {
        pool.membership().capacityOverride(order, change -> engine.scheduler().execute(() -> changes.accept(change)));
        periodic.overrideChanged();
    }

    @Override
    public void retryCreates() {
        provisioner.retryNow();
    }

    @Override
    public CapacityOverride capacityOverride() {
        return pool.membership().capacityOverride();
    }

    @Override
    public OverridePreview previewOverride(CapacityOverride order) {
        return pool.membership().previewOverride(order);
    }

    @Override
    public PoolSnapshot snapshot() {
        return pool.snapshot();
    }

    @Override
    public List<Lease> leases() {
        return context.leases().all();
    }

    @Override
    public Optional<Lease> lease(OwnerKey owner) {
        return context.leases().find(owner);
    }

    @Override
    public List<Lease> leasesOf(PodRef pod) {
        return context.leases().of(pod);
    }

    @Override
    public boolean isServed(PodRef pod) {
        return !leasesOf(pod).isEmpty()
                || grants.all().stream().anyMatch(claim -> claim.pod().equals(Optional.of(pod)));
    }

    @Override
    public CompletableFuture<Optional<Pod>> describe(PodRef pod, String uid, Span parent) {
        return pods.describe(pod, uid, parent);
    }

    @Override
    public synchronized void reconfigure(EngineConfig next) {
        if (!next.families().equals(config.families()) || !next.createTimeout().equals(config.createTimeout())) {
            throw new IllegalArgumentException("families and the time-out of a create are of a start: " + next);
        }
        pool.membership().keep(next.watermarks());
        config = next;
        periodic.changed();
    }

    @Override
    public void use(PolicyPort next) {
        policy.use(next);
        provisioner.policyChanged();
    }

    @Override
    public CompletableFuture<Void> switchFactory(NamedFactory next) {
        return whenReady("a swap of factories", () -> switchover.begin(next));
    }

    @Override
    public boolean cancelSwitch(IpamException why) {
        return switchover.cancel(why);
    }

    @Override
    public List<FactoryView> factories() {
        return pool.factories().views(switchover.incoming());
    }

    /**
     * Stops taking ADDs, turns those in the pool's queue away, and lets the rest end. What does not end is finished or
     * undone by the next start, so there is nothing to wait for here: the database's own close writes what was
     * accepted.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (phase == Phase.STOPPED) {
                return;
            }
            enter(Phase.STOPPING, "stopping");
        }
        provisioner.stop();
        pool.close();
        synchronized (this) {
            enter(Phase.STOPPED, "stopped");
        }
    }

    private synchronized String detail() {
        return phase == Phase.RECOVERING ? startup.progress().text() : detail;
    }

    private void enter(Phase next, String why) {
        phase = next;
        phaseSince = engine.time().now();
        detail = why;
    }

    private synchronized boolean inPhase(Phase expected) {
        return phase == expected;
    }

    /** Under the lock. */
    private IpamException tooEarly(String what) {
        return new IpamException(
                ErrorCode.TRY_AGAIN,
                what + " has to wait: the daemon is " + phase.name().toLowerCase(Locale.ROOT)
                        + (detail().isEmpty() ? "" : " (" + detail() + ")"),
                "try again in a moment; 'status' shows how far it is");
    }

    private synchronized void databaseHealth(Optional<DbTrouble> trouble) {
        if (trouble.isPresent() == unwritable) {
            return;
        }
        unwritable = trouble.isPresent();
        if (unwritable) {
            String what =
                    trouble.get().cause() + "; ADD is turned away until that works again, which is tried all the time";
            engine.events().error("DatabaseUnwritable", "database", what);
        } else {
            engine.events().info("DatabaseWritable", "database", "the database can be written again");
        }
    }

    /** What the pool notices goes to the provisioner and, for ended holds, to the database. */
    private final class PoolEventHandler implements PoolListener {
        @Override
        public void demandChanged() {
            provisioner.evaluate();
        }

        @Override
        public void capacityFreed() {
            provisioner.capacityFreed();
        }

        @Override
        public void comparisonDue() {
            periodic.reconcileSoon();
        }

        @Override
        public void drained(String factory) {
            switchover.drained(factory);
        }

        @Override
        public void unwanted(Resource resource) {
            provisioner.giveBack(resource);
        }

        @Override
        public void admitted(Resource resource) {
            String what = "address " + AddressFormat.of(resource)
                    + " joined the pool: the resource that had it before is gone";
            engine.events().info("AddressAdopted", resource.id().value(), what);
        }

        @Override
        public void holdLapsed(HoldExpired lapse) {
            String id = lapse.resource().id().value();
            Trace trace = engine.traces()
                    .begin(Trace.Operation.HOLD, new TraceSink.Subject(Optional.empty(), lapse.pod(), id, List.of()));
            trace.about(lapse.resource());
            trace.with("was", lapse.was().name()).with("state", lapse.now().name());
            trace.done();
        }

        @Override
        public void reservationTaken(ReservationPreempted taken) {
            String what = "address " + AddressFormat.of(taken.resource()) + " was kept for the pod until "
                    + taken.until() + " and went to pod " + taken.to() + ": the node has no other";
            engine.events().warning("ReservationTaken", taken.from().toString(), what);
        }

        @Override
        public void holdsEnded(List<ResourceKey> rows) {
            staleRows.holdsEnded(rows, pool);
        }
    }
}

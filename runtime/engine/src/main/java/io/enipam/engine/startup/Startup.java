package io.enipam.engine.startup;

import io.enipam.engine.concurrent.PauseGate;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.DelProcedure;
import io.enipam.engine.lease.DelProcedure.DelOutcome;
import io.enipam.engine.lease.LeaseContext;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.pool.FactoryRegistry;
import io.enipam.engine.pool.Provisioner;
import io.enipam.engine.pool.StaleRowRemover;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.startup.DatabaseLoader.StoredState;
import io.enipam.engine.startup.ObservedState.EndedLease;
import io.enipam.engine.startup.StartupProgress.StartupStep;
import io.enipam.engine.startup.StartupReconciler.BegunDisposal;
import io.enipam.engine.startup.StateCollector.Known;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * The start-up, from an open database to the first ADD. One procedure, in this order ({@link StartupStep}):
 *
 * <ol>
 *   <li><b>Open.</b> Leases, holds and copies of pods come back into lease registry, pool and pod store. From here on
 *       DEL works, whatever else is down; inspection has worked all along. Of two leases of one address the newer one
 *       counts for now.
 *   <li><b>Pending operations.</b> What was begun and not ended is looked up. A disposal goes on once the cloud was
 *       listed, if the resource is still there; a create shows in the list or never happened; what a factory began at
 *       the cloud, the factory finishes or undoes before it lists.
 *   <li><b>List the cloud.</b> The active factory, again and again with back-off until it answers. What the database
 *       knows and the list leaves out is looked for once more.
 *   <li><b>List the kernel</b>, with back-off until it answers: no ADD could be served without it anyway. If a sandbox
 *       has an address that no list shows, the cloud is asked once more.
 *   <li><b>List the pods.</b> If database and kernel agree, the API server gets
 *       {@value StateCollector#PODS_WAIT_SECONDS} s; then the start goes on without it. If they do not agree, or the
 *       database is new or lost, the list decides who keeps what, and is waited for, 70 s a try: a kernel without
 *       sandboxes proves nothing.
 *   <li><b>Build the pool.</b> {@link LeaseConflictResolver} decides who has which address. What follows is durable
 *       before anything else happens; DELs wait meanwhile. Where it cannot be written, DELs pass again, and after a
 *       pause all is decided anew. Then the pool is brought in line with the cloud ({@link StartupReconciler}). The
 *       same commit says that the database is settled, and whose it is.
 *   <li><b>Serve.</b> The provisioner starts, disposals go on, ADD is answered.
 * </ol>
 *
 * <p>Leaving factories are listed in the background, and resolved and compared in the same way, each when it answers.
 * Until then no intention is settled that may be theirs; {@link StartupReconciler} has the details.
 *
 * <p>DEL before the pool is built: of a lease, as ever. Of a sandbox without a lease, the kernel's side is taken down;
 * on a database that is not settled the DEL fails with a request to try again, since the lease may be about to be
 * rebuilt.
 *
 * <p>A database of another machine halts the start for good ({@link NodeIdentity#conflictWith}), and so does an error
 * of ours: DEL still works, and the status says why.
 *
 * <p>Thread-safe. The steps run one after the other, on whatever thread answered.
 */
public final class Startup {
    private static final Duration DISK_TRY = Duration.ofSeconds(60);
    private static final Duration QUIET_TRY = Duration.ofSeconds(90);
    private static final Duration BUILD_TRY = DISK_TRY.plus(QUIET_TRY).multipliedBy(2);
    private static final Duration DEL_WAITS = Duration.ofSeconds(30);

    private final LeaseContext context;
    private final DelProcedure del;
    private final StaleRowRemover staleRows;
    private final FactoryRegistry registry;
    private final Provisioner provisioner;
    private final CompletionStage<NodeIdentity> machine;

    private final StartupProgress progress;
    private final PlanExecutor executor;
    private final PauseGate gate = new PauseGate();
    private final Map<OwnerKey, Optional<EndedLease>> ended = new ConcurrentHashMap<>();
    private final CompletableFuture<Void> serving = new CompletableFuture<>();
    private volatile StoredState stored = StoredState.NONE;
    private volatile Optional<LateLeaseRebuilder> late = Optional.empty();
    private volatile boolean decided;
    private volatile Optional<IpamException> halted = Optional.empty();

    /** @param machine completes when the cloud has said which machine this is; it may never */
    public Startup(
            LeaseContext context,
            DelProcedure del,
            StaleRowRemover staleRows,
            FactoryRegistry registry,
            Provisioner provisioner,
            CompletionStage<NodeIdentity> machine) {
        this.context = context;
        this.del = del;
        this.staleRows = staleRows;
        this.registry = registry;
        this.provisioner = provisioner;
        this.machine = machine;
        this.progress = new StartupProgress(context.time());
        this.executor = new PlanExecutor(context);
    }

    public StartupProgress progress() {
        return progress;
    }

    /** Why it will never end by itself; empty as long as it may. */
    public Optional<IpamException> trouble() {
        return halted;
    }

    /** The first step: when this returns, DEL works. Blocks on nothing but the database's memory. */
    public void open() {
        progress.begin(StartupStep.OPEN);
        stored = new DatabaseLoader(context, staleRows).open();
        progress.done(StartupStep.OPEN, stored.opened());
        progress.begin(StartupStep.OPERATIONS);
        progress.done(StartupStep.OPERATIONS, stored.pending());
    }

    /**
     * The other steps.
     *
     * @param wanted false once the daemon stops: then no further try is made, and the future never completes
     * @return completes when ADD may be answered; fails if the database is another machine's
     */
    public CompletableFuture<Void> run(BooleanSupplier wanted) {
        RetryLoop asking = new RetryLoop(context.scheduler(), () -> wanted.getAsBoolean() && halted.isEmpty());
        StateCollector collector = new StateCollector(context, progress, asking);
        StartupReconciler reconciler =
                new StartupReconciler(context, staleRows, registry, provisioner, stored.contents());
        progress.begin(StartupStep.CLOUD);
        machine.thenAccept(this::arrived);
        if (halted.isPresent()) {
            return serving;
        }
        collector
                .list(registry.active(), what -> progress.update(StartupStep.CLOUD, what))
                .thenCompose(listed -> {
                    progress.done(StartupStep.CLOUD, listed.resources().size() + " addresses");
                    return collector.kernel().thenCompose(sandboxes -> collector.complete(listed, sandboxes));
                })
                .thenCompose(known -> collector
                        .pods(() -> agree(known), stored.settled())
                        .thenCompose(pods -> build(asking, known, pods)
                                .thenAcceptAsync(
                                        plan -> {
                                            List<BegunDisposal> goOn = apply(plan, known, reconciler);
                                            LateLeaseRebuilder rebuild = serve(asking, known, pods);
                                            reconciler.listLeaving(goOn, collector, rebuild);
                                            late = Optional.of(rebuild);
                                            progress.done(StartupStep.SERVE, "");
                                            serving.complete(null);
                                        },
                                        context.scheduler()::execute)))
                .whenComplete((done, error) -> {
                    if (error != null) {
                        broken(Stages.cause(error));
                    }
                });
        return serving;
    }

    /** Whether database, kernel and cloud agree without the API server. */
    private boolean agree(Known known) {
        return LeaseConflictResolver.resolve(observed(known, podIndex(List.of())))
                .changesNothing();
    }

    private PodIndex podIndex(List<Pod> pods) {
        return new PodIndex(pods, context.podStore().all());
    }

    /** The database's records by now, beside what the other sources say. */
    private ObservedState observed(Known known, PodIndex pods) {
        return new ObservedState(
                Stream.concat(context.leases().all().stream(), stored.aside().stream())
                        .toList(),
                stored.contents().holds(),
                known.sandboxes().stream()
                        .filter(sandbox -> !ended.containsKey(sandbox.owner()))
                        .toList(),
                pods,
                known.sane().resources(),
                ended(known, pods),
                context.time().now());
    }

    private List<EndedLease> ended(Known known, PodIndex pods) {
        Stream<EndedLease> leases = ended.values().stream().flatMap(Optional::stream);
        Stream<EndedLease> sandboxes = known.sandboxes().stream()
                .filter(sandbox -> ended.containsKey(sandbox.owner()))
                .map(sandbox -> new EndedLease(pods.of(sandbox).ref(), sandbox.addresses()));
        return Stream.concat(leases, sandboxes).toList();
    }

    /** Tries to decide until it is on disk. */
    private CompletableFuture<RecoveryPlan> build(RetryLoop asking, Known known, List<Pod> pods) {
        progress.begin(StartupStep.POOL);
        return asking.until(() -> decide(known, pods), BUILD_TRY, failure -> {
            String why = "the database could not be written: " + failure.why();
            progress.update(StartupStep.POOL, why + failure.nextTry());
            context.events().error("StartupNotWritten", "engine", why);
        });
    }

    /** The state in memory follows the disk. */
    private List<BegunDisposal> apply(RecoveryPlan plan, Known known, StartupReconciler reconciler) {
        executor.apply(plan, stored.aside());
        plan.findings()
                .forEach(
                        it -> context.events().publish(it.severity(), it.type(), it.subject(), it.message(), Map.of()));
        List<BegunDisposal> goOn = reconciler.compare(known.listing(), known.sane());
        decided = true;
        gate.resume();
        String made = plan.granted().size() + " leases made, " + plan.dropped().size() + " ended, "
                + plan.strays().size() + " sandboxes without a lease";
        progress.done(StartupStep.POOL, plan.changesNothing() ? "all agree" : made);
        return goOn;
    }

    /** Decides while no DEL changes anything, and writes it down. DELs pass again if that fails. */
    private CompletableFuture<RecoveryPlan> decide(Known known, List<Pod> pods) {
        progress.update(StartupStep.POOL, "waiting for DELs that are under way");
        return Stages.within(
                        gate.pause(),
                        QUIET_TRY,
                        context.scheduler(),
                        () -> new IllegalStateException("DELs under way do not end"))
                .thenCompose(quiet -> {
                    if (halted.isPresent()) {
                        gate.resume();
                        return new CompletableFuture<RecoveryPlan>();
                    }
                    RecoveryPlan plan;
                    List<Change> changes;
                    try {
                        ObservedState observed = observed(known, podIndex(pods));
                        plan = LeaseConflictResolver.resolve(observed);
                        changes = changes(observed, plan);
                    } catch (RuntimeException | LinkageError e) {
                        // nothing that another try would solve
                        broken(e);
                        return new CompletableFuture<RecoveryPlan>();
                    }
                    progress.update(StartupStep.POOL, "writing what follows");
                    return written(changes).thenApply(done -> plan);
                })
                .whenComplete((plan, error) -> {
                    if (error != null) {
                        gate.resume();
                    }
                });
    }

    private List<Change> changes(ObservedState observed, RecoveryPlan plan) {
        List<Change> changes = executor.changes(plan, observed.rows(), stored.contents());
        NodeRecord node = new NodeRecord(identity(), true);
        if (!stored.contents().node().equals(Optional.of(node))) {
            changes.add(new Change.PutNode(node));
        }
        return changes;
    }

    private CompletableFuture<Void> written(List<Change> changes) {
        return changes.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : Stages.ask(() -> context.db().commit(changes), DISK_TRY, context.scheduler());
    }

    /** An unexpected failure: nothing goes on by itself. */
    private void broken(Throwable cause) {
        IpamException bug = new IpamException(
                ErrorCode.INTERNAL,
                "the start-up broke off at '" + progress.text() + "': " + cause,
                "this is a bug: report it with the log; DEL works, and a restart tries again",
                cause);
        halt("StartupBroken", cause instanceof IpamException known ? known : bug);
    }

    private void halt(String type, IpamException why) {
        halted = Optional.of(why);
        progress.halt(String.valueOf(why.getMessage()));
        gate.resume();
        context.events().error(type, "engine", why.getMessage() + "; " + why.hint());
        serving.completeExceptionally(why);
    }

    private LateLeaseRebuilder serve(RetryLoop asking, Known known, List<Pod> pods) {
        progress.begin(StartupStep.SERVE);
        NamedFactory active = known.listing().factory();
        int capacity = active.factory().capabilities().capacity();
        context.pool().factories().activate(active.name(), active.factory().kind(), capacity);
        provisioner.start();
        PodIndex index = podIndex(pods);
        return new LateLeaseRebuilder(
                context, known.sandboxes(), stored.contents().holds(), index, ended(known, index), staleRows, asking);
    }

    /** A later list has what a sandbox uses without a lease: it gets one. */
    public void found(List<Resource> used) {
        late.ifPresent(rebuild -> rebuild.found(used));
    }

    /** CNI DEL while the start-up is under way. */
    public CompletableFuture<DelOutcome> del(OwnerKey owner, String by) {
        CompletableFuture<DelOutcome> answer = decided
                ? del.del(owner, by)
                : gate.run(
                        () -> early(owner, by),
                        DEL_WAITS,
                        context.scheduler(),
                        () -> tryAgain("the pool is being built"));
        return answer.thenApply(outcome -> {
            outcome.released().ifPresent(lease -> late.ifPresent(rebuild -> rebuild.ended(ended(lease))));
            return outcome;
        });
    }

    private static EndedLease ended(Lease lease) {
        return new EndedLease(lease.pod(), lease.addresses());
    }

    private CompletionStage<DelOutcome> early(OwnerKey owner, String by) {
        boolean held = context.leases().find(owner).isPresent();
        if (decided || held) {
            return del.del(owner, by).thenApply(outcome -> {
                ended.put(owner, outcome.released().map(Startup::ended));
                return outcome;
            });
        }
        if (!stored.settled() || stored.isAside(owner)) {
            return CompletableFuture.failedFuture(tryAgain("leases are being rebuilt from kernel and API server"));
        }
        return del.disconnect(owner, by).thenApply(outcome -> {
            ended.putIfAbsent(owner, Optional.empty());
            return outcome;
        });
    }

    private IpamException tryAgain(String why) {
        return new IpamException(
                ErrorCode.TRY_AGAIN,
                "DEL has to wait: " + why + " (" + progress.text() + ")",
                "try again in a moment; 'status' shows how far it is");
    }

    private Optional<NodeIdentity> identity() {
        CompletableFuture<NodeIdentity> told = machine.toCompletableFuture();
        return told.isDone() && !told.isCompletedExceptionally()
                ? Optional.of(told.join())
                : stored.contents().node().flatMap(NodeRecord::identity);
    }

    /** The cloud has said which machine this is, at whatever step. */
    private void arrived(NodeIdentity identity) {
        Optional<IpamException> conflict =
                identity.conflictWith(stored.contents().node());
        if (conflict.isPresent()) {
            halt("ForeignDatabase", conflict.get());
        } else if (decided) {
            // one that is not written now is written by the next start
            Stages.call(() ->
                    context.db().commit(List.of(new Change.PutNode(new NodeRecord(Optional.of(identity), true)))));
        }
    }
}

package io.enipam.engine;

import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.DelProcedure.DelOutcome;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.lease.OrphanRule.OrphanDecision;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.CapacityOverride.OverridePreview;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.pool.PoolSummary;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.PolicyPort;
import io.enipam.engine.port.Span;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolSnapshot;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The engine's only entry point. Thread-safe; nothing here blocks. Every future that fails, fails with
 * {@link IpamException}.
 */
public interface IpamEngine extends AutoCloseable {
    /**
     * Recovers from database and cloud, then serves. Until the future completes, inspection works and {@link #add}
     * answers {@code TRY_AGAIN}.
     */
    CompletableFuture<Void> start();

    /** Lends an address: the lease is durable and the kernel set up when the future completes. */
    CompletableFuture<AddOutcome> add(AddCommand command);

    /**
     * Takes an address back. Needs neither API server nor cloud.
     *
     * @param by the caller's name for the trace: {@code shell}, {@code cni}; or empty text
     */
    CompletableFuture<DelOutcome> del(OwnerKey owner, String by);

    default CompletableFuture<DelOutcome> del(OwnerKey owner) {
        return del(owner, "");
    }

    /** Ends the leases of pods that are gone. One runs at a time: a call during a run waits for its turn. */
    CompletableFuture<GcReport> collect(boolean dryRun);

    /**
     * What the next collection makes of a lease, or of a claim on an allocator, by the rule of the collections. Asks the
     * API server if its pod seems to be gone; changes nothing.
     *
     * @return empty if there is neither; fails if it could not be found out
     */
    CompletableFuture<Optional<OrphanDecision>> decide(OwnerKey owner);

    /**
     * Compares the pool with the cloud, and brings it in line. One runs at a time: a call during a run gets the next
     * one.
     *
     * @param acceptLoss whether what pods have is lost however much of it the factories do not list; else much of it at
     *     once is kept, and named among the problems
     * @return what could not be asked is among the report's problems, and changed nothing
     */
    CompletableFuture<ReconcileReport> reconcile(boolean acceptLoss);

    /** The same, without accepting much loss at once. */
    default CompletableFuture<ReconcileReport> reconcile() {
        return reconcile(false);
    }

    /** Tries now to make what the pool lacks, whatever the back-off after failures. Returns at once. */
    void retryCreates();

    /** What is wrong with what the policy asks for, one line; empty if nothing is. */
    default Optional<String> policyTrouble() {
        return Optional.empty();
    }

    EngineStatus status();

    /** Whether there is a pool; see {@link Poolless}. */
    default boolean hasPool() {
        return true;
    }

    PoolView pool();

    /** The pool in numbers: enough for most, and at a small fraction of the cost. */
    PoolSummary poolSummary();

    /** What is under way, and what is done next and when. */
    PendingWork pendingWork();

    /**
     * Sets a capacity override in the place of the former one. It may be set before the start; the engine forgets it
     * when it ends.
     *
     * @param changes called when a warm order is carried out (the same order, {@code met}), and when its time is over
     *     (none); on any thread, and it must not block
     */
    void capacityOverride(CapacityOverride order, Consumer<CapacityOverride> changes);

    default void capacityOverride(CapacityOverride order) {
        capacityOverride(order, change -> {});
    }

    CapacityOverride capacityOverride();

    OverridePreview previewOverride(CapacityOverride order);

    /** The pool as a policy sees it. */
    PoolSnapshot snapshot();

    /** All leases, ordered by owner. */
    List<Lease> leases();

    Optional<Lease> lease(OwnerKey owner);

    List<Lease> leasesOf(PodRef pod);

    /** Whether a pod has a lease, or a claim on an allocator. */
    default boolean isServed(PodRef pod) {
        return !leasesOf(pod).isEmpty();
    }

    /**
     * What is known of a pod, for a caller that goes on without it: found as for an ADD, but for a second at most.
     *
     * @param uid as the runtime tells it; or empty text
     * @param parent gets the step
     * @return never fails; empty if nothing is known, or of another pod of that name alone
     */
    default CompletableFuture<Optional<Pod>> describe(PodRef pod, String uid, Span parent) {
        return CompletableFuture.completedFuture(Optional.empty());
    }

    /**
     * Goes on with other knobs: all of them from this moment on, at once. Watermarks and bound are met as ever; a pool
     * that holds more than it may from now on gives back what is idle, and what pods have stays theirs until they give
     * it back. An interval that is another one begins anew now. What was given back before keeps the cool-down it was
     * given back with.
     *
     * @throws IllegalArgumentException if the watermarks make no sense, or the families or the time-out of a create are
     *     others: those are of a start
     */
    void reconfigure(EngineConfig next);

    /** Puts another policy in force, at once: all questions from now on go to it. */
    void use(PolicyPort policy);

    /**
     * Makes another factory the active one. What the next factory has already is taken up, and enough is made to meet
     * the lower watermark, before anything changes for callers; then the former active factory leaves: it makes nothing
     * more, its idle resources go back to it at once, and those lent when they are given back. A factory that was
     * leaving may become the active one again.
     *
     * @param next its name is not that of the active factory; one under the name of a leaving factory is that factory
     * @return completes when it has taken over. Fails if the next factory cannot be listed or makes nothing in time, or
     *     another swap is under way: then the active factory stays the active one, and the next one leaves
     */
    CompletableFuture<Void> switchFactory(NamedFactory next);

    /**
     * Ends the swap of factories that is under way: it fails with this failure, and the next factory leaves. False if none is
     * under way, or the next factory takes over already.
     */
    boolean cancelSwitch(IpamException why);

    /** The factories there are: the active one first, then those that take over or leave. */
    List<FactoryView> factories();

    /** Takes nothing new, finishes what was begun (10 s at most), then stops. Does not close the ports. */
    @Override
    void close();
}

package io.enipam.engine.lease;

import io.enipam.engine.concurrent.KeyedQueue;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.policy.PolicyGuard;
import io.enipam.engine.pool.ResourcePool;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.PodDirectory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.port.TraceSink;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * What ADD, DEL, garbage collection and start-up share.
 *
 * @param configuredCoolDown how long a released address is allocated to no pod, as configured at the moment
 */
public record LeaseContext(
        EngineContext engine,
        PodDirectory pods,
        Datapath datapath,
        ResourcePool pool,
        PolicyGuard policy,
        State state,
        Supplier<Duration> configuredCoolDown) {
    /**
     * What the engine knows of leases, pods and sandboxes.
     *
     * @param strays sandboxes that are connected and have no lease
     * @param turns one task at a time per pod: every operation of a pod stands in its queue
     */
    public record State(
            LeaseRegistry leases, PodStore podStore, UnmanagedSandboxRegistry strays, KeyedQueue<PodRef> turns) {}

    public TimeSource time() {
        return engine.time();
    }

    public Scheduler scheduler() {
        return engine.scheduler();
    }

    public ResourceDb db() {
        return engine.db();
    }

    public EventSink events() {
        return engine.events();
    }

    public TraceSink traces() {
        return engine.traces();
    }

    public LeaseRegistry leases() {
        return state.leases();
    }

    public PodStore podStore() {
        return state.podStore();
    }

    public UnmanagedSandboxRegistry strays() {
        return state.strays();
    }

    public KeyedQueue<PodRef> turns() {
        return state.turns();
    }

    /** How long an address that is released now is allocated to no pod, unless the policy says otherwise. */
    public Duration coolDown() {
        return configuredCoolDown.get();
    }

    CompletableFuture<Void> commit(List<Change> changes, Span parent, Duration timeout) {
        Span commit = parent.step("COMMIT");
        return Stages.traced(commit, Stages.ask(() -> db().commit(changes, commit), timeout, scheduler()));
    }

    CompletableFuture<Void> tearDown(OwnerKey owner, Span parent, Duration timeout) {
        Span kernel = parent.step("KERNEL");
        return Stages.traced(kernel, Stages.ask(() -> datapath.tearDown(owner, kernel), timeout, scheduler()));
    }

    boolean isInState(Lease lease, ResourceState state) {
        return pool.state(lease.resource()).equals(Optional.of(state));
    }
}

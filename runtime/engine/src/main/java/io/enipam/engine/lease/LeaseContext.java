package io.enipam.engine.lease;

import io.enipam.engine.concurrent.KeyedQueue;
import io.enipam.engine.policy.PolicyGuard;
import io.enipam.engine.pool.ResourcePool;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.PodDirectory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.port.TraceSink;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * What ADD, DEL, garbage collection and start-up share.
 *
 * @param state what the engine knows of leases, pods and sandboxes
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
     * @param book the leases
     * @param copies what was seen of pods
     * @param strays sandboxes that are connected and have no lease
     * @param turns one task at a time per pod: every operation of a pod stands in its queue
     */
    public record State(
            LeaseRegistry book, PodStore copies, UnmanagedSandboxRegistry strays, KeyedQueue<PodRef> turns) {}

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

    public LeaseRegistry book() {
        return state.book();
    }

    public PodStore copies() {
        return state.copies();
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
}

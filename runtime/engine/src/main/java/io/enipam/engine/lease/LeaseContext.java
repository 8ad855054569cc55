package io.enipam.engine.lease;

import io.enipam.engine.concurrent.KeyedQueue;
import io.enipam.engine.pods.PodStore;
import io.enipam.engine.policy.PolicyGuard;
import io.enipam.engine.pool.ResourcePool;
import io.enipam.engine.port.Datapath;
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
 * What ADD and DEL share.
 *
 * @param book the leases
 * @param copies what was seen of pods
 * @param strays sandboxes that are connected and have no lease
 * @param turns one task at a time per pod: every verb of a pod stands in its queue
 * @param configuredCoolDown how long an address given back is lent to nobody, as configured at the moment
 */
public record LeaseContext(
        TimeSource time,
        Scheduler scheduler,
        ResourceDb db,
        PodDirectory pods,
        Datapath datapath,
        EventSink events,
        ResourcePool pool,
        PolicyGuard policy,
        LeaseRegistry book,
        PodStore copies,
        UnmanagedSandboxRegistry strays,
        KeyedQueue<PodRef> turns,
        Supplier<Duration> configuredCoolDown,
        TraceSink traces) {
    /** How long an address that is given back now is lent to nobody, unless the policy says otherwise. */
    public Duration coolDown() {
        return configuredCoolDown.get();
    }
}

package io.enipam.sdk;

import java.time.Instant;
import java.util.List;

/**
 * A pool at one moment, immutable, with the time in it: all that a policy may base an answer on. The host makes it; more may
 * be added, beside the constructors that there are.
 *
 * @param at the moment
 * @param kind what the pool holds
 * @param capacity the most resources the pool may have in all states together
 * @param minIdle the configured lower watermark
 * @param maxIdle the configured upper watermark, not below {@code minIdle}
 * @param creating resources asked of the factory
 * @param waiting callers that wait for a resource now
 * @param activity what happened in the last minutes
 * @param resources everything the pool holds but those being created; the idle ones in the order in which they became
 *     idle, longest idle first
 * @param waiters the pods of the callers that wait, next first; as many as {@code waiting}, or none where the snapshot was
 *     made without them
 */
public record PoolSnapshot(
        Instant at,
        ResourceKind kind,
        int capacity,
        int minIdle,
        int maxIdle,
        int creating,
        int waiting,
        Activity activity,
        List<ResourceView> resources,
        List<PodView> waiters) {
    public PoolSnapshot {
        resources = List.copyOf(resources);
        waiters = List.copyOf(waiters);
    }

    /** One that does not say which pods wait. */
    public PoolSnapshot(
            Instant at,
            ResourceKind kind,
            int capacity,
            int minIdle,
            int maxIdle,
            int creating,
            int waiting,
            Activity activity,
            List<ResourceView> resources) {
        this(at, kind, capacity, minIdle, maxIdle, creating, waiting, activity, resources, List.of());
    }

    /** The resources in one state, in the snapshot's order. */
    public List<ResourceView> in(ResourceState state) {
        return resources.stream().filter(r -> r.state() == state).toList();
    }

    /** How many resources are in one state; {@code CREATING} counts those asked of the factory. */
    public int count(ResourceState state) {
        return state == ResourceState.CREATING
                ? creating
                : (int) resources.stream().filter(r -> r.state() == state).count();
    }
}

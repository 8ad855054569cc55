package io.enipam.node.cluster;

import io.enipam.aliyun.eni.EniUse;
import io.enipam.engine.PendingWork;
import io.enipam.engine.pool.PoolView;
import io.enipam.sdk.ResourceState;
import java.time.Instant;
import java.util.Set;

/**
 * How many pods can have an ENI of their own, as the kubelet is told.
 *
 * <p>While none can be made for long, what there is remains: the ENIs that pods have, and those that wait for one. The kubelet takes
 * none of the others for pods, and the scheduler sends pods elsewhere instead of here to wait. Nobody is evicted.
 *
 * @param all as many as the node can have
 * @param healthy of those, how many there are or can be made
 */
record EniDeviceCapacity(int all, int healthy) {
    private static final String WHOLE = EniUse.WHOLE.kind().name();
    private static final Set<ResourceState> THERE =
            Set.of(ResourceState.IN_USE, ResourceState.IDLE, ResourceState.COOLING, ResourceState.RESERVED);

    /** Whether a pool lends whole ENIs. */
    static boolean lendsEnis(PoolView pool) {
        return pool.kind().equals(WHOLE);
    }

    /** Whether a pool lends addresses of ENIs that pods share. */
    static boolean sharesEnis(PoolView pool) {
        return pool.kind().equals(EniUse.ADDRESSES.kind().name());
    }

    /** Judges; a pool that lends something else has none. */
    static EniDeviceCapacity of(PoolView pool, PendingWork agenda, Instant now) {
        if (!lendsEnis(pool)) {
            return new EniDeviceCapacity(0, 0);
        }
        // the pool's capacity counts what a former factory made and pods still have
        int others = (int) pool.entries().stream()
                .filter(entry -> !entry.resource().kind().name().equals(WHOLE))
                .count();
        int all = Math.max(0, pool.capacity() - others);
        int there = (int) pool.entries().stream()
                .filter(entry -> entry.resource().kind().name().equals(WHOLE))
                .filter(entry -> THERE.contains(entry.state()))
                .count();
        return new EniDeviceCapacity(all, ProvisioningFailure.lasting(agenda, now).isPresent() ? Math.min(all, there) : all);
    }
}

package io.enipam.engine.simulation.fuzz;

import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.ResourceView;
import io.enipam.sdk.Target;
import java.util.List;

/** Picks any idle resource, and has all of them released first. */
record RandomPolicy(long seed) implements PoolPolicy {
    @Override
    public String name() {
        return "random";
    }

    @Override
    public Pick pick(PoolSnapshot pool, PodRef pod) {
        List<ResourceView> idle = pool.in(ResourceState.IDLE);
        int index = (int) Math.floorMod(seed + pod.hashCode(), (long) idle.size());
        return Pick.chosen(idle.get(index).resource().id());
    }

    @Override
    public Target target(PoolSnapshot pool) {
        int extra = pool.waiting() > 0 ? 1 : 0;
        return new Target(
                pool.minIdle() + extra,
                pool.maxIdle() + extra,
                pool.in(ResourceState.IDLE).stream()
                        .map(view -> view.resource().id())
                        .sorted()
                        .toList());
    }
}

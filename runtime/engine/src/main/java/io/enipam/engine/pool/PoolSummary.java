package io.enipam.engine.pool;

import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.sdk.ResourceState;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * The pool at one moment in numbers, for those who read them often: metrics, history, readiness.
 *
 * @param watermarks lower and upper watermark, and the most that it may hold now
 * @param leased resources that have an owner, those that the cloud has lost included
 * @param counts resources by state; a state without any is 0
 */
public record PoolSummary(
        String kind,
        String policy,
        Watermarks watermarks,
        int waiting,
        int leased,
        Map<ResourceState, Integer> counts) {
    public PoolSummary {
        Map<ResourceState, Integer> all = new EnumMap<>(ResourceState.class);
        for (ResourceState state : ResourceState.values()) {
            all.put(state, counts.getOrDefault(state, 0));
        }
        counts = Collections.unmodifiableMap(all);
    }

    public int capacity() {
        return watermarks.capacity();
    }

    public int minIdle() {
        return watermarks.minIdle();
    }

    public int maxIdle() {
        return watermarks.maxIdle();
    }

    public int count(ResourceState state) {
        return counts.get(state);
    }

    /** How many resources there are in all states but {@code CREATING}. */
    public int held() {
        return counts.values().stream().mapToInt(Integer::intValue).sum() - count(ResourceState.CREATING);
    }
}

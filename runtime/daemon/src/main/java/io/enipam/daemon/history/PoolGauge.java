package io.enipam.daemon.history;

import io.enipam.engine.pool.PoolView;
import io.enipam.sdk.ResourceState;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * The pool at one moment, counted.
 *
 * @param counts resources by state; a state without any is 0
 * @param capacity the most it may hold
 * @param minIdle lower watermark
 * @param maxIdle upper watermark
 * @param waiting callers in the queue
 */
public record PoolGauge(Map<ResourceState, Integer> counts, int capacity, int minIdle, int maxIdle, int waiting) {
    static PoolGauge of(PoolView pool) {
        Map<ResourceState, Integer> counts = new EnumMap<>(ResourceState.class);
        for (ResourceState state : ResourceState.values()) {
            counts.put(state, 0);
        }
        pool.entries().forEach(entry -> counts.merge(entry.state(), 1, Integer::sum));
        counts.put(ResourceState.CREATING, pool.creating());
        return new PoolGauge(
                Collections.unmodifiableMap(counts), pool.capacity(), pool.minIdle(), pool.maxIdle(), pool.waiting());
    }

    public int count(ResourceState state) {
        return counts.getOrDefault(state, 0);
    }
}

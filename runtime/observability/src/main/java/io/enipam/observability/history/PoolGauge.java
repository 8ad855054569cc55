package io.enipam.observability.history;

import io.enipam.engine.pool.PoolView;
import io.enipam.sdk.ResourceState;
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
        return new PoolGauge(pool.counts(), pool.capacity(), pool.minIdle(), pool.maxIdle(), pool.waiting());
    }

    public int count(ResourceState state) {
        return counts.getOrDefault(state, 0);
    }
}

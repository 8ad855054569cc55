package io.enipam.node.overrides;

import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.CapacityOverride.OverridePreview;

/**
 * What was decided by the order in force.
 *
 * @param before the order that was in force
 * @param order the one that shall be; the same if nothing changes
 * @param prospect what it does to the pool
 */
public record OverrideDecision(CapacityOverride before, CapacityOverride order, OverridePreview prospect) {
    public boolean changes() {
        return !order.equals(before);
    }
}

package io.enipam.diagnostics.doctor.fact;

import io.enipam.engine.pool.CapacityOverride;

/**
 * What the pool was told over what its policy wants.
 *
 * @param by who told it; empty text if that is not known
 */
public record OrderFacts(CapacityOverride order, String by) {
    public boolean drained() {
        return order.kind() == CapacityOverride.Kind.DRAINED;
    }
}

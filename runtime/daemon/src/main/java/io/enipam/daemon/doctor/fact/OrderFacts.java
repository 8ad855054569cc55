package io.enipam.daemon.doctor.fact;

import io.enipam.engine.pool.StandingOrder;

/**
 * What the pool was told over what its policy wants.
 *
 * @param by who told it; empty text if that is not known
 */
public record OrderFacts(StandingOrder order, String by) {
    public boolean drained() {
        return order.kind() == StandingOrder.Kind.DRAINED;
    }
}

package io.enipam.daemon.orders;

import io.enipam.engine.pool.Prospect;
import io.enipam.engine.pool.StandingOrder;

/**
 * What was decided by the order in force.
 *
 * @param before the order that was in force
 * @param order the one that shall be; the same if nothing changes
 * @param prospect what it does to the pool
 */
public record Decision(StandingOrder before, StandingOrder order, Prospect prospect) {
    public boolean changes() {
        return !order.equals(before);
    }
}

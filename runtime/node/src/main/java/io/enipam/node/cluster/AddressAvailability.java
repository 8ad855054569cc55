package io.enipam.node.cluster;

import io.enipam.engine.pool.PoolView;
import io.enipam.sdk.ResourceState;

/**
 * Whether the next pod gets an address, for the scheduler: there is an idle one, or room for another.
 *
 * @param sufficient whether it does
 * @param message why, for a person
 */
record AddressAvailability(boolean sufficient, String message) {
    /**
     * Judges.
     *
     * @param pool as it is now
     * @param makesNone why none is made at the moment; empty text if nothing is in the way
     */
    static AddressAvailability of(PoolView pool, String makesNone) {
        int idle = pool.count(ResourceState.IDLE);
        int held = pool.entries().size() + pool.creating();
        String figures = idle + " idle, " + pool.count(ResourceState.IN_USE) + " in use of " + pool.capacity();
        if (idle > 0) {
            return new AddressAvailability(true, "there are addresses: " + figures);
        }
        if (!makesNone.isEmpty()) {
            return new AddressAvailability(
                    false, "no address is idle, and none is made: " + makesNone + " (" + figures + ")");
        }
        return held < pool.capacity()
                ? new AddressAvailability(true, "addresses are made when they are wanted: " + figures)
                : new AddressAvailability(false, "the node has as many addresses as it can have: " + figures);
    }
}

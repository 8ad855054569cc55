package io.enipam.examples.swarm.pools;

import io.enipam.examples.swarm.errors.Refused;
import java.util.Map;

/** Where networks get their subnets: an IPAM driver of swarmkit. Not thread-safe. */
public interface PoolSource {
    /** Gives no subnets: what networks of swarmkit's IPAM driver {@code null} have, whose gateway cannot be had. */
    PoolSource NONE = new PoolSource() {
        @Override
        public AddressPool request(String subnet, String range, Map<String, String> options) {
            throw Refused.invalid("the IPAM driver null has no addresses, not even for a gateway");
        }

        @Override
        public void release(AddressPool pool) {}
    };

    /**
     * Gives a subnet to one network.
     *
     * @param subnet as {@code ADDRESS/LENGTH}, host bits are ignored; empty for any
     * @param range a part of it, in which addresses are searched; empty for all
     * @param options of the network's IPAM driver
     * @throws Refused if it is taken, or cannot be read, or none is left
     */
    AddressPool request(String subnet, String range, Map<String, String> options);

    /** Takes one back that is in use. */
    void release(AddressPool pool);

    /** Goes on where another source of the same kind is: with whose turn it is, of it and of its subnets that are in use here as well. */
    default void turnsOf(PoolSource before) {}
}

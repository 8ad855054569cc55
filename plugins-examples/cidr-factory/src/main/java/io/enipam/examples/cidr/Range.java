package io.enipam.examples.cidr;

import inet.ipaddr.IPAddress;
import java.util.Optional;

/**
 * One configured range.
 *
 * @param block its addresses
 * @param gateway where its pods send what is not for the subnet; never given itself
 */
record Range(Block block, Optional<IPAddress> gateway) {
    boolean contains(IPAddress address) {
        return block.addresses().contains(address);
    }
}

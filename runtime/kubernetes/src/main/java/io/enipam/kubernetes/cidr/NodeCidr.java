package io.enipam.kubernetes.cidr;

import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpRange;
import io.enipam.sdk.ranges.RangeSet;
import io.enipam.sdk.ranges.Subnet;
import java.util.List;
import java.util.Optional;

/**
 * The IPv4 subnet of one node, and its addresses for pods: all but the network address, the gateway's, which is the
 * first one, and the broadcast address.
 *
 * @param pods the addresses for pods
 */
public record NodeCidr(IpRange pods) {
    /** A larger subnet is implausible for a node. */
    private static final int SHORTEST = 12;

    /** A smaller one has no address for a pod. */
    private static final int LONGEST = 30;

    /**
     * Reads {@code 10.0.1.0/24}.
     *
     * @throws IllegalArgumentException if the text is no such subnet; the message is meant for users
     */
    public static NodeCidr parse(String text) {
        Address address = Address.parse(text);
        int length = address.prefixLength();
        if (address.family() != Family.IPV4) {
            throw new IllegalArgumentException(text + " is no IPv4 subnet");
        }
        if (length < SHORTEST || length > LONGEST) {
            throw new IllegalArgumentException(
                    "a node's CIDR has a prefix of " + SHORTEST + " to " + LONGEST + " bits, not of " + length);
        }
        Subnet subnet = new Subnet(Ip.of(address.ip()), length);
        if (!subnet.network().equals(subnet)) {
            throw new IllegalArgumentException(subnet + " is an address within a subnet, and none itself");
        }
        Optional<Ip> first = subnet.first().plus(2);
        return new NodeCidr(IpRange.of(Optional.of(subnet), first, Optional.empty(), Optional.empty()));
    }

    /** The number of addresses for pods. */
    public int capacity() {
        return pods.size().intValueExact();
    }

    String gateway() {
        return pods.gateway().toString();
    }

    RangeSet ranges() {
        return new RangeSet(List.of(pods));
    }

    Address address(Ip pod) {
        return new Address(pod.inet(), pods.subnet().length());
    }

    /** Whether a pod can have an address; the address's own prefix length is ignored. */
    public boolean contains(Address address) {
        return pods.contains(Ip.of(address.ip()));
    }

    @Override
    public String toString() {
        return pods.subnet().toString();
    }
}

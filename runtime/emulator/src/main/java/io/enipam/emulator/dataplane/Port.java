package io.enipam.emulator.dataplane;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the VPC has for an ENI that is attached: its end of the link, and all that it lets through.
 *
 * @param name of the VPC's end, {@code eni} and a number
 * @param eni {@code eni-...}
 * @param node host name of the instance
 * @param mac of the instance's end
 * @param addresses IPv4 and IPv6 addresses that the API assigned to it, those of its prefixes included
 * @param blocks CIDRs that the VPC's route table leads to it
 * @param ipv6Gateway of its vSwitch, if that has IPv6
 * @param guest how the instance's end is set up, of a primary ENI; any other comes as a bare NIC
 */
record Port(
        String name,
        String eni,
        String node,
        String mac,
        Set<String> addresses,
        Set<String> blocks,
        Optional<String> ipv6Gateway,
        Optional<DhcpConfig> guest) {
    Port {
        addresses = new TreeSet<>(addresses);
        blocks = new TreeSet<>(blocks);
    }

    /**
     * What DHCP tells the instance of its primary ENI.
     *
     * @param address with the length of the vSwitch's prefix
     * @param gateway of the vSwitch
     * @param ipv6s its IPv6 addresses
     */
    record DhcpConfig(String address, String gateway, List<String> ipv6s) {}

    /** What this port and a later one of the same link let through, both of them. */
    Port common(Port later) {
        Set<String> both = new TreeSet<>(addresses);
        both.retainAll(later.addresses);
        Optional<DhcpConfig> kept = guest.map(one -> new DhcpConfig(
                one.address(),
                one.gateway(),
                one.ipv6s().stream()
                        .filter(address -> later.guest().orElse(one).ipv6s().contains(address))
                        .toList()));
        return new Port(name, eni, node, mac, both, blocks, ipv6Gateway, kept);
    }

    /** The address that routes of the VPC go through; of a primary ENI alone. */
    String nextHop() {
        String address = guest.orElseThrow().address();
        return address.substring(0, address.indexOf('/'));
    }

    /** Whether the other one is the same link, whatever goes through it. */
    boolean isSameLink(Port other) {
        return eni.equals(other.eni) && node.equals(other.node);
    }

    static boolean isIpv6(String address) {
        return address.indexOf(':') >= 0;
    }
}

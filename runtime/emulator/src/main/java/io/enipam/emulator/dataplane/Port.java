package io.enipam.emulator.dataplane;

import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.CloudState.Instance;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.EmulatedEni.EniKind;
import io.enipam.emulator.cloud.EniStatus;
import io.enipam.emulator.cloud.VSwitch;
import io.enipam.emulator.cloud.VSwitch.Block;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The port of the VPC for an attached ENI: its end of the link, and all that it lets through.
 *
 * @param name of the VPC's end, {@code eni} and a number
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

    /** What DHCP gives the instance for its primary ENI; the address has the length of the vSwitch's prefix. */
    record DhcpConfig(String address, String gateway, List<String> ipv6s) {}

    /**
     * The ports of a state by ENI, in the order of creation: one for each ENI that is InUse. A member of a trunk ENI
     * has none: it is a VLAN of the trunk's link, which this network does not have. Routes lead a CIDR to an instance.
     */
    static Map<String, Port> desired(CloudState state, Map<String, String> routes) {
        Map<String, Port> ports = new LinkedHashMap<>();
        for (Instance instance : state.layout().instances()) {
            for (EmulatedEni eni : state.enisOn(instance.id())) {
                Optional<VSwitch> vswitch = state.vswitch(eni.ips().vswitchId());
                if (eni.attachment().status() == EniStatus.IN_USE
                        && eni.attachment().trunkId().isEmpty()
                        && vswitch.isPresent()) {
                    ports.put(eni.id(), port(eni, instance, vswitch.get(), routes));
                }
            }
        }
        return ports;
    }

    private static Port port(EmulatedEni eni, Instance instance, VSwitch vswitch, Map<String, String> routes) {
        boolean primary = eni.kind() == EniKind.PRIMARY;
        List<String> addresses = new ArrayList<>(eni.addressesTaken());
        addresses.addAll(eni.ips().ipv6s());
        Set<String> blocks = new TreeSet<>();
        routes.forEach((cidr, to) -> {
            if (primary && (to.equals(instance.id()) || to.equals(instance.hostname()))) {
                blocks.add(cidr);
            }
        });
        String prefix = vswitch.cidr().substring(vswitch.cidr().indexOf('/'));
        return new Port(
                "eni" + eni.sequence(),
                eni.id(),
                instance.hostname(),
                eni.mac(),
                Set.copyOf(addresses),
                blocks,
                vswitch.ipv6().map(Block::gateway),
                primary
                        ? Optional.of(new DhcpConfig(
                                eni.ips().primaryIp() + prefix,
                                vswitch.ipv4().gateway(),
                                eni.ips().ipv6s()))
                        : Optional.empty());
    }

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

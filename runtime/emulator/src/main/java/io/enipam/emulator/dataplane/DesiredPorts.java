package io.enipam.emulator.dataplane;

import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.EniKind;
import io.enipam.emulator.cloud.EniStatus;
import io.enipam.emulator.cloud.Instance;
import io.enipam.emulator.cloud.Ipv6Block;
import io.enipam.emulator.cloud.VSwitch;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the kernel shall have, by the cloud's books: a port for each ENI that is InUse. A member of a trunk ENI is none: it is a
 * VLAN of the trunk's link, which this network does not have.
 *
 * @param ports by ENI, in the order of their creation
 */
record DesiredPorts(Map<String, Port> ports) {
    DesiredPorts {
        ports = Collections.unmodifiableMap(new LinkedHashMap<>(ports));
    }

    /**
     * Reads it off the books.
     *
     * @param routes CIDR to instance
     */
    static DesiredPorts of(CloudState state, Map<String, String> routes) {
        Map<String, Port> ports = new LinkedHashMap<>();
        for (Instance instance : state.instances()) {
            for (EmulatedEni eni : state.enisOn(instance.id())) {
                Optional<VSwitch> vswitch = state.vswitch(eni.vswitchId());
                if (eni.status() == EniStatus.IN_USE && eni.trunkId().isEmpty() && vswitch.isPresent()) {
                    ports.put(eni.id(), port(eni, instance, vswitch.get(), routes));
                }
            }
        }
        return new DesiredPorts(ports);
    }

    private static Port port(EmulatedEni eni, Instance instance, VSwitch vswitch, Map<String, String> routes) {
        boolean primary = eni.kind() == EniKind.PRIMARY;
        List<String> addresses = new ArrayList<>(eni.addressesTaken());
        addresses.addAll(eni.ipv6s());
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
                vswitch.ipv6().map(Ipv6Block::gateway),
                primary
                        ? Optional.of(new Port.DhcpConfig(eni.primaryIp() + prefix, vswitch.gateway(), eni.ipv6s()))
                        : Optional.empty());
    }
}

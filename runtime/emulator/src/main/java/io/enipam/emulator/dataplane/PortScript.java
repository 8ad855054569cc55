package io.enipam.emulator.dataplane;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Lines of {@code ip -batch} that take a port from what it is to what it shall be.
 *
 * @param vpc for the VPC's namespace
 * @param ipv6Rules for the VPC's namespace, with {@code -6}: a line of {@code ip rule} cannot say its family
 * @param node for the instance's namespace
 */
record PortScript(List<String> vpc, List<String> ipv6Rules, List<String> node) {
    /** What all ARP and neighbour discovery is answered with, as in the real VPC. */
    private static final String GATEWAY_MAC = "ee:ff:ff:ff:ff:ff";

    /** Of the rules that let a source pass; those after it pass nothing on. */
    private static final int PASS = 1000;

    private static final int MTU = 1500;

    private static PortScript empty() {
        return new PortScript(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }

    boolean isEmpty() {
        return vpc.isEmpty() && ipv6Rules.isEmpty() && node.isEmpty();
    }

    /** Makes a port; {@code link} is the name of its end in the instance's namespace. */
    static PortScript making(Port port, String namespace, String link) {
        PortScript script = empty();
        script.vpc.add("link add " + port.name() + " address " + GATEWAY_MAC + " alias " + port.eni() + " mtu " + MTU
                + " type veth peer name " + link + " netns " + namespace + " address " + port.mac() + " mtu " + MTU);
        script.vpc.add("link set " + port.name() + " up");
        port.ipv6Gateway()
                .ifPresent(gateway -> script.vpc.add("addr add " + gateway + "/128 dev " + port.name() + " nodad"));
        port.addresses().forEach(address -> script.admit(port, address));
        port.blocks().forEach(block -> script.lead(port, block));
        port.guest().ifPresent(guest -> script.setUp(port, guest, link));
        return script;
    }

    /** Takes a port, whose link stays, from one state to another. */
    static PortScript changing(Port from, Port to) {
        PortScript script = empty();
        minus(from.addresses(), to.addresses()).forEach(address -> script.expel(from, address));
        minus(to.addresses(), from.addresses()).forEach(address -> script.admit(to, address));
        to.guest().ifPresent(guest -> {
            List<String> before = from.guest().map(Port.DhcpConfig::ipv6s).orElse(List.of());
            Set<String> gone = minus(Set.copyOf(before), Set.copyOf(guest.ipv6s()));
            gone.forEach(address -> script.node.add("addr del " + address + "/128 dev eth0"));
            if (guest.ipv6s().isEmpty() && !before.isEmpty()) {
                script.node.add("route del ::/0 dev eth0");
            }
            script.addIpv6(to, minus(Set.copyOf(guest.ipv6s()), Set.copyOf(before)), "eth0");
        });
        return script;
    }

    /** Takes away a port, or what there is of it. */
    static PortScript removing(Port port) {
        PortScript script = empty();
        port.addresses().forEach(address -> script.rules(address).add(rule("del", port, address)));
        port.blocks().forEach(block -> script.rules(block).add(rule("del", port, block)));
        script.vpc.add("link del " + port.name());
        return script;
    }

    private void admit(Port port, String address) {
        vpc.add("route replace " + address + " dev " + port.name());
        vpc.add("neigh replace " + address + " lladdr " + port.mac() + " dev " + port.name() + " nud permanent");
        rules(address).add(rule("add", port, address));
    }

    private void expel(Port port, String address) {
        rules(address).add(rule("del", port, address));
        vpc.add("route del " + address + " dev " + port.name());
        vpc.add("neigh del " + address + " dev " + port.name());
    }

    private void lead(Port port, String block) {
        vpc.add("route replace " + block + " via " + port.nextHop() + " dev " + port.name() + " onlink");
        rules(block).add(rule("add", port, block));
    }

    private void setUp(Port port, Port.DhcpConfig guest, String link) {
        node.add("addr add " + guest.address() + " dev " + link);
        node.add("link set " + link + " up");
        node.add("route add default via " + guest.gateway() + " dev " + link);
        addIpv6(port, Set.copyOf(guest.ipv6s()), link);
    }

    private void addIpv6(Port port, Set<String> addresses, String link) {
        addresses.forEach(address -> node.add("addr replace " + address + "/128 dev " + link + " nodad"));
        if (!addresses.isEmpty()) {
            port.ipv6Gateway()
                    .ifPresent(gateway -> node.add("route replace ::/0 via " + gateway + " dev " + link + " onlink"));
        }
    }

    private List<String> rules(String address) {
        return Port.isIpv6(address) ? ipv6Rules : vpc;
    }

    private static String rule(String verb, Port port, String from) {
        return "rule " + verb + " pref " + PASS + " from " + from + " iif " + port.name() + " lookup main";
    }

    private static Set<String> minus(Set<String> some, Set<String> others) {
        Set<String> rest = new HashSet<>(some);
        rest.removeAll(others);
        return rest;
    }
}

package io.enipam.datapath.link;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.link.Expectation.Side;
import io.enipam.datapath.link.LinkKind.RetainedState;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.Bandwidth;
import io.enipam.datapath.record.AttachmentRecord.Ends;
import io.enipam.datapath.record.AttachmentRecord.Eni;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.datapath.record.AttachmentRecord.Sandbox;
import io.enipam.datapath.record.SandboxLinkNames;
import io.enipam.datapath.record.SandboxLinkNames.LinkAlias;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.LinkRequest.LinkType;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** A veth pair to a pod that shares an ENI with others: terway's ENIMultiIP mode. */
public final class VethKind implements LinkKind {
    private static final String IPV4 = "net/ipv4/conf/";
    private static final String IPV6 = "net/ipv6/conf/";

    /** Its name in records. */
    public static final String NAME = "veth";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean serves(DatapathRequest connection) {
        return NodeLinks.asksFor(LinkType.VETH, connection);
    }

    @Override
    public AttachmentRecord design(DatapathRequest connection, LinkContext node) {
        ConnectionValidator.check(connection);
        String mac = NodeLinks.eniMac(connection);
        Links.Link eni = NodeLinks.eni(mac, node);
        SandboxLinkNames name = new SandboxLinkNames(connection.lease().owner());
        return new AttachmentRecord(
                Sandbox.of(connection),
                NAME,
                new Ends(
                        connection.link().netns(),
                        name.link(connection.link().vethPrefix()),
                        name.mac(0),
                        name.mac(1),
                        connection.link().mtu().orElse(eni.mtu())),
                PodAddress.routed(connection.lease().resource()),
                new Eni(mac, node.tables().of(mac)),
                Bandwidth.of(connection),
                ConnectionValidator.throughNode(connection, node, List.of()),
                Map.of());
    }

    /** One process on the node's side, one in the pod's namespace; each command may be repeated. */
    @Override
    public void connect(AttachmentRecord record, LinkContext node) {
        String eni = NodeLinks.eni(record.eniMac(), node).name();
        VethPair pair = VethPair.of(record);
        // new links inherit the general sysctls
        generalSysctls(record).forEach(node.sysctls()::set);
        Batch here = Batch.here();
        pair.make(here, node);
        pair.nodeReady(here);
        here.ip("link set dev " + eni + " up");
        record.addresses().forEach(address -> routes(pair, address, eni, node, here));
        for (PodAddress address : record.addresses()) {
            boolean ipv6 = address.family() == Family.IPV6;
            here.rule(ipv6, ruleTo(address)).rule(ipv6, ruleFrom(address, record));
        }
        pair.limitNode(here);
        pair.run(here, node);
        linkSysctls(record, eni).forEach(node.sysctls()::set);
        pair.connectPod(node);
    }

    private static void routes(VethPair pair, PodAddress address, String eni, LinkContext node, Batch batch) {
        AttachmentRecord record = pair.record();
        nodeAddress(address.family(), record, node)
                .ifPresent(own -> batch.ip(
                        "addr replace " + own + " dev " + eni + (address.family() == Family.IPV6 ? " nodad" : "")));
        pair.route(address, batch);
        String mark = " protocol " + Batch.PROTOCOL;
        batch.ip("route replace default via " + address.gateway() + " dev " + eni + " onlink table " + record.table()
                + mark);
        record.throughNode(address.family())
                .forEach(cidr -> batch.ip("route replace throw " + cidr + " table " + record.table() + mark));
    }

    private static String ruleTo(PodAddress address) {
        return "pref " + Expectation.Rule.TO_POD + " to " + address.alone() + " lookup main protocol " + Batch.PROTOCOL;
    }

    private static String ruleFrom(PodAddress address, AttachmentRecord record) {
        return "pref " + Expectation.Rule.FROM_POD + " from " + address.alone() + " iif " + record.hostLink()
                + " lookup " + record.table() + " protocol " + Batch.PROTOCOL;
    }

    /**
     * The node's own address on an ENI, which the node itself sends to a pod from: a network of its own. Empty if it is not known,
     * or is the ENI's anyway, with a subnet.
     */
    private static Optional<String> nodeAddress(Family family, AttachmentRecord record, LinkContext node) {
        Optional<String> address = node.side().address(family).map(ip -> new Address(ip, family.bits()).toString());
        Optional<Links.Link> eni = node.links().byMac(record.eniMac());
        return address.filter(own -> eni.isEmpty()
                || eni.get().addresses().stream()
                        .noneMatch(there ->
                                there.startsWith(own.substring(0, own.indexOf('/') + 1)) && !there.equals(own)));
    }

    /** One process; the pod's side goes with the pair. */
    @Override
    public void disconnect(AttachmentRecord record, LinkContext node, RetainedState staying) {
        Batch batch = Batch.here();
        for (PodAddress address : record.addresses()) {
            boolean ipv6 = address.family() == Family.IPV6;
            batch.noRule(ipv6, ruleFrom(address, record));
            if (!staying.addresses().contains(address.ip())) {
                // this one names no link: the other pod with the address needs it
                batch.noRule(ipv6, ruleTo(address));
            }
        }
        VethPair.of(record).remove(batch, node);
        if (!staying.table()) {
            withoutTable(record, node, batch);
        }
        node.runner().run(batch);
    }

    private static void withoutTable(AttachmentRecord record, LinkContext node, Batch batch) {
        batch.flush(false, record.table());
        batch.flush(true, record.table());
        Optional<Links.Link> eni = node.links().byMac(record.eniMac());
        for (Family family : Family.values()) {
            if (record.has(family) && eni.isPresent()) {
                node.side()
                        .address(family)
                        .map(ip -> new Address(ip, family.bits()))
                        .ifPresent(own -> batch.ipIfThere(
                                "addr del " + own + " dev " + eni.get().name()));
            }
        }
    }

    @Override
    public Optional<Set<InetAddress>> reachableAddresses(AttachmentRecord record, NetnsSnapshot node) {
        return NodeLinks.reached(record, node);
    }

    @Override
    public DatapathResult wiring(AttachmentRecord record) {
        return VethPair.of(record).result();
    }

    @Override
    public Expectation expectation(AttachmentRecord record, LinkContext node) {
        Optional<Links.Link> eni = node.links().byMac(record.eniMac());
        String eniName = eni.map(Links.Link::name).orElse("(no link with " + record.eniMac() + ")");
        return new Expectation(
                nodeSide(record, node, eniName),
                VethPair.of(record).podSide(),
                rules(record),
                eni.isPresent() ? sysctls(record, eniName) : Map.of());
    }

    private static List<Expectation.Rule> rules(AttachmentRecord record) {
        List<Expectation.Rule> rules = new ArrayList<>();
        String table = Long.toString(record.table());
        for (PodAddress address : record.addresses()) {
            boolean ipv6 = address.family() == Family.IPV6;
            rules.add(new Expectation.Rule(ipv6, Expectation.Rule.TO_POD, "all", address.ip(), "", "main"));
            rules.add(
                    new Expectation.Rule(ipv6, Expectation.Rule.FROM_POD, address.ip(), "", record.hostLink(), table));
        }
        return rules;
    }

    private static Side nodeSide(AttachmentRecord record, LinkContext node, String eni) {
        List<NetnsSnapshot.OnLink> addresses = new ArrayList<>();
        List<Expectation.Route> routes = new ArrayList<>();
        String table = Long.toString(record.table());
        for (PodAddress address : record.addresses()) {
            nodeAddress(address.family(), record, node)
                    .ifPresent(own -> addresses.add(new NetnsSnapshot.OnLink(eni, own)));
            routes.add(new Expectation.Route("main", "unicast", address.ip(), "", record.hostLink()));
            routes.add(new Expectation.Route(table, "unicast", "default", address.gateway(), eni));
        }
        for (String cidr : record.throughNode()) {
            if (record.has(cidr.indexOf(':') < 0 ? Family.IPV4 : Family.IPV6)) {
                routes.add(new Expectation.Route(table, "throw", cidr, "", ""));
            }
        }
        return new Side(
                List.of(new Expectation.Link(record.hostLink(), record.hostMac()), new Expectation.Link(eni, "")),
                addresses,
                List.of(),
                routes,
                TokenBucket.shown(record.ingress(), record.mtu()));
    }

    private static Map<String, String> sysctls(AttachmentRecord record, String eni) {
        Map<String, String> all = new TreeMap<>(generalSysctls(record));
        all.putAll(linkSysctls(record, eni));
        return all;
    }

    /**
     * The sysctls that new links inherit: the node forwards, and does not check whether an answer would take the way the packet
     * came, since the main table knows nothing of the ENIs. The kernel takes the larger of a link's {@code rp_filter} and that of
     * all.
     */
    private static Map<String, String> generalSysctls(AttachmentRecord record) {
        Map<String, String> wanted = new TreeMap<>(NodeLinks.forwarding(record));
        if (record.has(Family.IPV4)) {
            wanted.put(IPV4 + "all/rp_filter", "0");
            wanted.put(IPV4 + "default/rp_filter", "0");
        }
        return wanted;
    }

    private static Map<String, String> linkSysctls(AttachmentRecord record, String eni) {
        Map<String, String> wanted = new TreeMap<>();
        if (record.has(Family.IPV4)) {
            wanted.put(IPV4 + eni + "/rp_filter", "0");
            wanted.put(IPV4 + record.hostLink() + "/rp_filter", "0");
        }
        if (record.has(Family.IPV6)) {
            wanted.put(IPV6 + eni + "/accept_ra", "0");
            wanted.put(IPV6 + record.hostLink() + "/forwarding", "1");
        }
        return wanted;
    }

    /** Recovers the owner from the link's alias, the addresses from its routes, the ENI's table from its rules. */
    @Override
    public Optional<AttachmentRecord> recoverRecord(LinkAlias alias, NetnsSnapshot.Link link, NetnsSnapshot node) {
        SandboxLinkNames name = new SandboxLinkNames(alias.owner());
        if (!link.name().endsWith(name.digits()) || !link.mac().equals(name.mac(0))) {
            return Optional.empty();
        }
        String table = table(link, node);
        Optional<NetnsSnapshot.Route> way = node.routes().stream()
                .filter(route ->
                        route.table().equals(table) && route.destination().equals("default") && !route.ipv6())
                .findFirst();
        String eniMac = way.flatMap(route -> node.link(route.link()))
                .map(NetnsSnapshot.Link::mac)
                .orElse("");
        return Optional.of(new AttachmentRecord(
                Sandbox.of(alias),
                NAME,
                new Ends("", link.name(), link.mac(), name.mac(1), link.mtu()),
                addresses(link, node, table),
                new Eni(eniMac, table.equals("main") ? 0 : Long.parseLong(table)),
                Bandwidth.NONE,
                throughNode(node, table),
                Map.of()));
    }

    private static String table(NetnsSnapshot.Link link, NetnsSnapshot node) {
        return node.rules().stream()
                .filter(rule -> rule.priority() == Expectation.Rule.FROM_POD
                        && rule.link().equals(link.name()))
                .map(NetnsSnapshot.Rule::table)
                .filter(table -> table.matches("\\d+"))
                .findFirst()
                .orElse("main");
    }

    private static List<PodAddress> addresses(NetnsSnapshot.Link link, NetnsSnapshot node, String table) {
        return NodeLinks.podRoutes(link.name(), node)
                .map(route -> new PodAddress(
                        route.destination(), route.ipv6() ? 128 : 32, gateway(node, table, route.ipv6())))
                .toList();
    }

    private static String gateway(NetnsSnapshot node, String table, boolean ipv6) {
        return node.routes().stream()
                .filter(route ->
                        route.table().equals(table) && route.destination().equals("default") && route.ipv6() == ipv6)
                .map(NetnsSnapshot.Route::gateway)
                .findFirst()
                .orElse("");
    }

    private static List<String> throughNode(NetnsSnapshot node, String table) {
        return node.routes().stream()
                .filter(route -> route.table().equals(table) && route.type().equals("throw"))
                .map(NetnsSnapshot.Route::destination)
                .map(cidr -> cidr.indexOf('/') >= 0 ? cidr : cidr + (cidr.indexOf(':') < 0 ? "/32" : "/128"))
                .toList();
    }
}

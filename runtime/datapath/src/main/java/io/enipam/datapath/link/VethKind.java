package io.enipam.datapath.link;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.iproute.NetnsSnapshot.Rule;
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
import io.enipam.engine.model.LinkRequest.LinkType;
import io.enipam.sdk.Family;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A veth pair to a pod that shares an ENI with others: terway's ENIMultiIP mode. */
public final class VethKind implements LinkKind {
    private static final String IPV4 = "net/ipv4/conf/";
    private static final String IPV6 = "net/ipv6/conf/";

    @Override
    public String name() {
        return "veth";
    }

    @Override
    public boolean serves(DatapathRequest connection) {
        return NodeLinks.asksFor(LinkType.VETH, connection);
    }

    @Override
    public AttachmentRecord design(DatapathRequest connection, LinkContext node) {
        ConnectionValidator.check(connection, node);
        String mac = NodeLinks.eniMac(connection);
        Links.Link eni = NodeLinks.eni(mac, node);
        String podMac = new SandboxLinkNames(connection.lease().owner()).mac(1);
        return new AttachmentRecord(
                Sandbox.of(connection),
                name(),
                Ends.of(connection, podMac, connection.link().mtu().orElse(eni.mtu())),
                PodAddress.routed(connection.lease().resource()),
                new Eni(mac, node.tables().of(mac)),
                Bandwidth.of(connection),
                ConnectionValidator.throughNode(connection, node, List.of()),
                Map.of());
    }

    /** One batch on the node's side, one in the pod's namespace; each command may be repeated. */
    @Override
    public void connect(AttachmentRecord record, LinkContext node) {
        String eni = NodeLinks.eni(record.eniMac(), node).name();
        VethPair pair = VethPair.of(record);
        // new links inherit the general sysctls
        generalSysctls(record).forEach(node.sysctls()::set);
        Batch here = Batch.here();
        pair.make(here, node);
        pair.nodeReady(here);
        here.up(eni);
        record.addresses().forEach(address -> routes(pair, address, eni, node, here));
        rules(record).forEach(here::rule);
        pair.limitNode(here);
        pair.run(here, node);
        linkSysctls(record, eni).forEach(node.sysctls()::set);
        pair.connectPod(node);
    }

    private static void routes(VethPair pair, PodAddress address, String eni, LinkContext node, Batch batch) {
        AttachmentRecord record = pair.record();
        nodeAddress(address.family(), Optional.of(eni), node).ifPresent(own -> batch.address(own, eni));
        batch.podRoute(address.alone(), record.hostLink());
        batch.defaultRoute(address.gateway(), eni, record.table());
        record.throughNode(address.family()).forEach(cidr -> batch.throwRoute(cidr, record.table()));
    }

    private static List<Rule> rules(AttachmentRecord record) {
        return record.addresses().stream()
                .map(PodAddress::ip)
                .flatMap(ip -> Stream.of(Rule.to(ip), Rule.from(ip, record.hostLink(), record.table())))
                .toList();
    }

    /**
     * The node's own address on an ENI, which the node itself sends to a pod from: a network of its own. Empty if it is not known,
     * or is the ENI's anyway, with a subnet.
     */
    private static Optional<String> nodeAddress(Family family, Optional<String> eni, LinkContext node) {
        Optional<String> address =
                node.side().address(family).map(ip -> NodeLinks.alone(ip).toString());
        return address.filter(own -> eni.isEmpty()
                || node.links().recentAddresses(eni.get()).stream()
                        .noneMatch(there ->
                                there.startsWith(own.substring(0, own.indexOf('/') + 1)) && !there.equals(own)));
    }

    /** One batch; the pod's side goes with the pair. */
    @Override
    public void disconnect(AttachmentRecord record, LinkContext node, RetainedState staying) {
        Batch batch = Batch.here();
        // a rule to an address names no link: another pod with the address needs it
        rules(record).stream()
                .filter(rule -> !staying.addresses().contains(rule.to()))
                .forEach(batch::noRule);
        VethPair.of(record).remove(batch, node);
        if (!staying.table()) {
            withoutTable(record, node, batch);
        }
        node.runner().run(batch);
    }

    private static void withoutTable(AttachmentRecord record, LinkContext node, Batch batch) {
        batch.flush(record.table());
        node.links()
                .byMac(record.eniMac())
                .ifPresent(eni -> node.ownAddresses().stream()
                        .map(NodeLinks::alone)
                        .filter(own -> record.has(own.family()))
                        .forEach(own -> batch.noAddress(own.toString(), eni.name())));
    }

    @Override
    public Expectation expectation(AttachmentRecord record, LinkContext node) {
        Optional<String> eni = node.links().byMac(record.eniMac()).map(Links.Link::name);
        String eniName = eni.orElse("(no link with " + record.eniMac() + ")");
        Map<String, String> sysctls = new TreeMap<>();
        if (eni.isPresent()) {
            sysctls.putAll(generalSysctls(record));
            sysctls.putAll(linkSysctls(record, eniName));
        }
        return new Expectation(
                nodeSide(record, node, eni, eniName), VethPair.of(record).podSide(), rules(record), sysctls);
    }

    private static Side nodeSide(AttachmentRecord record, LinkContext node, Optional<String> there, String eni) {
        List<NetnsSnapshot.OnLink> addresses = new ArrayList<>();
        List<Expectation.Route> routes = new ArrayList<>();
        String table = Long.toString(record.table());
        for (PodAddress address : record.addresses()) {
            nodeAddress(address.family(), there, node)
                    .ifPresent(own -> addresses.add(new NetnsSnapshot.OnLink(eni, own)));
            routes.add(Expectation.Route.main(address.ip(), "", record.hostLink()));
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
        if (!name.areOf(link.name(), link.mac())) {
            return Optional.empty();
        }
        String table = table(link, node);
        String eniMac = defaultRoute(node, table, false)
                .flatMap(route -> node.link(route.link()))
                .map(NetnsSnapshot.Link::mac)
                .orElse("");
        return Optional.of(new AttachmentRecord(
                Sandbox.of(alias),
                name(),
                new Ends("", link.name(), link.mac(), name.mac(1), link.mtu()),
                NodeLinks.podRoutes(link.name(), node)
                        .map(route -> new PodAddress(
                                route.destination(),
                                route.ipv6() ? 128 : 32,
                                defaultRoute(node, table, route.ipv6())
                                        .map(NetnsSnapshot.Route::gateway)
                                        .orElse("")))
                        .toList(),
                new Eni(eniMac, table.equals("main") ? 0 : Long.parseLong(table)),
                Bandwidth.NONE,
                throughNode(node, table),
                Map.of()));
    }

    private static String table(NetnsSnapshot.Link link, NetnsSnapshot node) {
        return node.rules().stream()
                .filter(rule -> rule.priority() == Rule.FROM_POD && rule.link().equals(link.name()))
                .map(Rule::table)
                .filter(table -> table.matches("\\d+"))
                .findFirst()
                .orElse("main");
    }

    private static Optional<NetnsSnapshot.Route> defaultRoute(NetnsSnapshot node, String table, boolean ipv6) {
        return node.routes().stream()
                .filter(route ->
                        route.table().equals(table) && route.destination().equals("default") && route.ipv6() == ipv6)
                .findFirst();
    }

    private static List<String> throughNode(NetnsSnapshot node, String table) {
        return node.routes().stream()
                .filter(route -> route.table().equals(table) && route.type().equals("throw"))
                .map(NetnsSnapshot.Route::destination)
                .map(cidr -> cidr.indexOf('/') >= 0 ? cidr : cidr + (cidr.indexOf(':') < 0 ? "/32" : "/128"))
                .toList();
    }
}

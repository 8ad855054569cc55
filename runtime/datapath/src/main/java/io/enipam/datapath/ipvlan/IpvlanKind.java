package io.enipam.datapath.ipvlan;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.CommandFailedException;
import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.iproute.Netns;
import io.enipam.datapath.iproute.Snapshot;
import io.enipam.datapath.link.Expectation;
import io.enipam.datapath.link.LinkKind;
import io.enipam.datapath.link.Node;
import io.enipam.datapath.link.Staying;
import io.enipam.datapath.link.Words;
import io.enipam.datapath.pair.Drafts;
import io.enipam.datapath.pair.PairExpectation;
import io.enipam.datapath.pair.VethPair;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.engine.model.Connection;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkType;
import io.enipam.engine.model.Wiring;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceKind;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** A slave of the ENI for each pod that shares it: terway's ENIMultiIP mode with eniip_virtual_type IPVlan. */
public final class IpvlanKind implements LinkKind {
    /** How records call it. */
    public static final String NAME = "ipvlan";

    private static final String SLAVE = "slave";

    private final IpvlanSupport support = new IpvlanSupport();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean serves(Connection connection) {
        Resource resource = connection.lease().resource();
        return connection.link().type() == LinkType.IPVLAN
                && resource.kind().equals(ResourceKind.ENI_IP)
                && resource.attributes().containsKey(Resource.MAC);
    }

    @Override
    public AttachmentRecord design(Connection connection, Node node) {
        Words.check(connection);
        support.check(node.runner());
        Lease lease = connection.lease();
        String mac = lease.resource().attributes().get(Resource.MAC).toLowerCase(Locale.ROOT);
        Links.Link eni = eni(mac, node);
        List<String> throughNode = new ArrayList<>(node.side().serviceCidrs());
        throughNode.addAll(connection.link().hostStackCidrs());
        return new AttachmentRecord(
                lease.owner().toString(),
                lease.pod().namespace(),
                lease.pod().name(),
                lease.podUid(),
                NAME,
                connection.link().netns(),
                "",
                "",
                mac,
                connection.link().mtu().orElse(eni.mtu()),
                Drafts.addresses(connection, true),
                mac,
                // no routes are there; it tells who shares the ENI
                node.tables().of(mac),
                connection.ingress().orElse(0),
                connection.egress().orElse(0),
                Words.cidrs(throughNode),
                Map.of(SLAVE, IpvlanPlan.slave(eni)));
    }

    private static Links.Link eni(String mac, Node node) {
        return node.links()
                .byMac(mac)
                .orElseThrow(() -> new IpamException(
                        ErrorCode.DATAPATH_FAILED,
                        "no link of this node has the hardware address " + mac + " of the pod's ENI",
                        "see 'ip link' and 'enipam eni list': the ENI is detached, or the node has not seen it yet"));
    }

    private static IpvlanPlan plan(AttachmentRecord record, Links.Link eni, Node node) {
        return new IpvlanPlan(
                record,
                eni,
                Stream.of(Family.values())
                        .filter(record::has)
                        .flatMap(family -> node.side().address(family).stream())
                        .map(address -> new Address(address, address.getAddress().length * Byte.SIZE).toString())
                        .toList());
    }

    @Override
    public void connect(AttachmentRecord record, Node node) {
        IpvlanPlan plan = plan(record, eni(record.eniMac(), node), node);
        VethPair forwarding = new VethPair(record, "", "");
        forwarding.sysctls().forEach(node.sysctls()::set);
        node.runner().run(plan.shared());
        try {
            node.runner().run(plan.podLink());
        } catch (CommandFailedException e) {
            if (!e.answer().contains(Batch.EXISTS)) {
                throw e;
            }
            if (!isThere(record, node)) {
                throw VethPair.present(record.podLink(), record);
            }
        }
        node.runner().run(plan.routes());
        node.runner().run(plan.podSide());
    }

    /** Whether the pod's link of the name is a slave of its ENI: a repeated ADD's, or one that is mended. */
    private static boolean isThere(AttachmentRecord record, Node node) {
        String link = node.runner()
                .read(record.netns(), List.of("ip -j -d link show dev " + record.podLink()))
                .get(0);
        return link.contains("\"info_kind\":\"ipvlan\"") && link.contains(record.eniMac());
    }

    /**
     * Whether the pod's link is still there, and not another pod's in a namespace that has the path of one that ended: the number of
     * a process comes again. The kernel deletes a link of any type by its name.
     */
    private static boolean isOurs(AttachmentRecord record, Node node) {
        List<String> own = record.addresses().stream()
                .map(address -> address.ip() + "/" + address.prefix())
                .toList();
        try {
            Snapshot pod = Snapshot.of(node.runner(), record.netns());
            boolean others = pod.addresses().stream()
                    .filter(on ->
                            on.link().equals(record.podLink()) && !on.address().startsWith("fe80:"))
                    .anyMatch(on -> !own.contains(on.address()));
            return !others
                    && pod.link(record.podLink())
                            .filter(link -> link.mac().equals(record.eniMac()))
                            .isPresent();
        } catch (CommandFailedException e) {
            if (Netns.usable(record.netns())) {
                throw e;
            }
            // it ended meanwhile, and its links with it
            return false;
        }
    }

    @Override
    public void disconnect(AttachmentRecord record, Node node, Staying staying) {
        if (Netns.usable(record.netns()) && isOurs(record, node)) {
            node.runner().run(Batch.in(record.netns()).ipIfThere("link del dev " + record.podLink() + " type ipvlan"));
        }
        Optional<Links.Link> eni = node.links().byMac(record.eniMac());
        if (eni.isPresent()) {
            node.runner().run(plan(record, eni.get(), node).without(staying));
        }
    }

    @Override
    public Optional<Set<InetAddress>> reached(AttachmentRecord record, Snapshot node) {
        Set<InetAddress> own = new HashSet<>(VethPair.reached(record.more().getOrDefault(SLAVE, ""), node));
        own.retainAll(record.addresses().stream()
                .map(address -> Address.literal(address.ip()))
                .toList());
        return own.isEmpty() ? Optional.empty() : Optional.of(own);
    }

    @Override
    public Expectation expectation(AttachmentRecord record, Node node) {
        String slave = record.more().getOrDefault(SLAVE, "");
        List<Expectation.Route> here = new ArrayList<>();
        List<Expectation.OnLink> addresses = new ArrayList<>();
        List<Expectation.Route> routes = new ArrayList<>();
        for (PodAddress address : record.addresses()) {
            here.add(new Expectation.Route("main", "unicast", address.ip(), "", slave));
            addresses.add(new Expectation.OnLink(record.podLink(), address.ip() + "/" + address.prefix()));
            routes.add(new Expectation.Route("main", "unicast", "default", address.gateway(), record.podLink()));
        }
        return new Expectation(
                new Expectation.Side(
                        List.of(new Expectation.Link(slave, "")), List.of(), List.of(), here, Optional.empty()),
                new Expectation.Side(
                        List.of(new Expectation.Link(record.podLink(), record.eniMac())),
                        addresses,
                        List.of(),
                        routes,
                        PairExpectation.rate(record.egress(), record)),
                List.of(),
                new VethPair(record, "", "").sysctls());
    }

    @Override
    public Wiring wiring(AttachmentRecord record) {
        return new Wiring(
                List.of(new Wiring.Link(record.podLink(), record.podMac(), record.mtu(), record.netns())),
                record.addresses().stream()
                        .map(address -> new Wiring.PodAddress(
                                Address.parse(address.ip() + "/" + address.prefix()), address.gateway(), 0))
                        .toList(),
                record.addresses().stream()
                        .map(address -> new Wiring.Route(
                                address.family() == Family.IPV4 ? "0.0.0.0/0" : "::/0", address.gateway()))
                        .toList());
    }
}

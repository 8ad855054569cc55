package io.enipam.datapath.routed;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.Snapshot;
import io.enipam.datapath.link.Expectation;
import io.enipam.datapath.link.LinkKind;
import io.enipam.datapath.link.Node;
import io.enipam.datapath.link.Staying;
import io.enipam.datapath.link.TokenBucket;
import io.enipam.datapath.link.Words;
import io.enipam.datapath.pair.Drafts;
import io.enipam.datapath.pair.PairExpectation;
import io.enipam.datapath.pair.VethPair;
import io.enipam.datapath.record.Alias;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.datapath.record.OwnerName;
import io.enipam.engine.model.Connection;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.Wiring;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A veth pair and a route, for a resource that hangs on no interface. The pod's address has no subnet on its link, so everything
 * goes to the node, whose main table knows the way: the VPC's routes lead the node's CIDR back to it.
 */
public final class RoutedKind implements LinkKind {
    /** How records call it. */
    public static final String NAME = "routed";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean serves(Connection connection) {
        return !connection.lease().resource().attributes().containsKey(Resource.MAC);
    }

    @Override
    public AttachmentRecord design(Connection connection, Node node) {
        Words.check(connection);
        Lease lease = connection.lease();
        OwnerName name = new OwnerName(lease.owner());
        return new AttachmentRecord(
                lease.owner().toString(),
                lease.pod().namespace(),
                lease.pod().name(),
                lease.podUid(),
                NAME,
                connection.link().netns(),
                name.link(connection.link().vethPrefix()),
                name.mac(0),
                name.mac(1),
                connection.link().mtu().orElseGet(() -> Drafts.nodeMtu(node)),
                Drafts.addresses(connection, false),
                "",
                0,
                connection.ingress().orElse(0),
                connection.egress().orElse(0),
                List.of(),
                Map.of());
    }

    private static VethPair pair(AttachmentRecord record) {
        return new VethPair(record, record.podLink(), record.podMac());
    }

    @Override
    public void connect(AttachmentRecord record, Node node) {
        VethPair pair = pair(record);
        pair.sysctls().forEach(node.sysctls()::set);
        Batch here = Batch.here();
        pair.make(here, node);
        pair.nodeSide(here);
        pair.run(here, node);
        Batch pod = Batch.in(record.netns());
        pair.podSide(pod);
        String link = record.podLink();
        for (PodAddress address : record.addresses()) {
            pod.ip("addr replace " + address.alone() + " dev " + link
                            + (address.family() == Family.IPV6 ? " nodad" : ""))
                    .ip("route replace default via " + VethPair.gateway(address.family()) + " dev " + link + " onlink");
        }
        if (record.egress() > 0) {
            pod.tc(TokenBucket.of(record.egress(), record.mtu()).command(link));
        }
        node.runner().run(pod);
    }

    @Override
    public void disconnect(AttachmentRecord record, Node node, Staying staying) {
        Batch here = Batch.here();
        pair(record).remove(here, node);
        node.runner().run(here);
    }

    @Override
    public Optional<Set<InetAddress>> reached(AttachmentRecord record, Snapshot node) {
        return VethPair.reached(record, node);
    }

    /**
     * A pair without a rule is one: what else there is of an exclusive ENI's, the NIC itself, comes back with the end of the pod's
     * namespace.
     */
    @Override
    public Optional<AttachmentRecord> recognised(Alias alias, Snapshot.Link link, Snapshot node) {
        OwnerName name = new OwnerName(alias.owner());
        boolean ruled = node.rules().stream().anyMatch(rule -> rule.link().equals(link.name()));
        if (ruled || !link.name().endsWith(name.digits()) || !link.mac().equals(name.mac(0))) {
            return Optional.empty();
        }
        return Optional.of(new AttachmentRecord(
                alias.owner().toString(),
                alias.pod().map(PodRef::namespace).orElse(""),
                alias.pod().map(PodRef::name).orElse(""),
                alias.podUid(),
                NAME,
                "",
                link.name(),
                link.mac(),
                name.mac(1),
                link.mtu(),
                VethPair.reached(link.name(), node).stream()
                        .map(ip -> new PodAddress(ip.getHostAddress(), ip.getAddress().length * Byte.SIZE, ""))
                        .toList(),
                "",
                0,
                0,
                0,
                List.of(),
                Map.of()));
    }

    @Override
    public Expectation expectation(AttachmentRecord record, Node node) {
        String link = record.podLink();
        List<Expectation.OnLink> addresses = new ArrayList<>();
        List<Expectation.Neighbour> neighbours = new ArrayList<>();
        List<Expectation.Route> routes = new ArrayList<>();
        for (PodAddress address : record.addresses()) {
            String gateway = VethPair.gateway(address.family());
            addresses.add(new Expectation.OnLink(link, address.alone()));
            neighbours.add(new Expectation.Neighbour(link, gateway, record.hostMac()));
            routes.add(new Expectation.Route("main", "unicast", "default", gateway, link));
        }
        VethPair pair = pair(record);
        return new Expectation(
                PairExpectation.nodeSide(pair),
                new Expectation.Side(
                        List.of(new Expectation.Link(link, record.podMac())),
                        addresses,
                        neighbours,
                        routes,
                        PairExpectation.rate(record.egress(), record)),
                List.of(),
                pair.sysctls());
    }

    @Override
    public Wiring wiring(AttachmentRecord record) {
        return new Wiring(
                List.of(
                        new Wiring.Link(record.hostLink(), record.hostMac(), record.mtu(), ""),
                        new Wiring.Link(record.podLink(), record.podMac(), record.mtu(), record.netns())),
                record.addresses().stream()
                        .map(address -> new Wiring.PodAddress(
                                Address.parse(address.alone()), VethPair.gateway(address.family()), 1))
                        .toList(),
                record.addresses().stream()
                        .map(address -> new Wiring.Route(
                                address.family() == Family.IPV4 ? "0.0.0.0/0" : "::/0",
                                VethPair.gateway(address.family())))
                        .toList());
    }
}

package io.enipam.datapath.veth;

import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.link.Expectation;
import io.enipam.datapath.link.Expectation.Side;
import io.enipam.datapath.link.Node;
import io.enipam.datapath.link.TokenBucket;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.sdk.Family;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How the kernel looks when a pod is well connected by a veth pair. */
final class VethExpectation {
    private VethExpectation() {}

    static Expectation of(AttachmentRecord record, Node node) {
        Optional<Links.Link> eni = node.links().byMac(record.eniMac());
        String eniName = eni.map(Links.Link::name).orElse("(no link with " + record.eniMac() + ")");
        Expectation.Draft draft =
                new Expectation.Draft().node(nodeSide(record, node, eniName)).pod(podSide(record));
        String table = Long.toString(record.table());
        for (PodAddress address : record.addresses()) {
            boolean ipv6 = address.family() == Family.IPV6;
            draft.rule(new Expectation.Rule(ipv6, VethFacts.TO_POD, "all", address.ip(), "", "main"))
                    .rule(new Expectation.Rule(ipv6, VethFacts.FROM_POD, address.ip(), "", record.hostLink(), table));
        }
        if (eni.isPresent()) {
            NodeSysctls.all(record, eniName).forEach(draft::sysctl);
        }
        return draft.done();
    }

    private static Side nodeSide(AttachmentRecord record, Node node, String eni) {
        List<Expectation.OnLink> addresses = new ArrayList<>();
        List<Expectation.Route> routes = new ArrayList<>();
        String table = Long.toString(record.table());
        for (PodAddress address : record.addresses()) {
            NodeAddress.of(address.family(), record, node)
                    .ifPresent(own -> addresses.add(new Expectation.OnLink(eni, own)));
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
                rate(record.ingress(), record));
    }

    private static Side podSide(AttachmentRecord record) {
        String link = record.podLink();
        List<Expectation.OnLink> addresses = new ArrayList<>();
        List<Expectation.Neighbour> neighbours = new ArrayList<>();
        List<Expectation.Route> routes = new ArrayList<>();
        for (PodAddress address : record.addresses()) {
            String gateway = VethFacts.gateway(address.family());
            addresses.add(new Expectation.OnLink(link, address.alone()));
            neighbours.add(new Expectation.Neighbour(link, gateway, record.hostMac()));
            routes.add(new Expectation.Route("main", "unicast", "default", gateway, link));
        }
        return new Side(
                List.of(new Expectation.Link(link, record.podMac())),
                addresses,
                neighbours,
                routes,
                rate(record.egress(), record));
    }

    private static Optional<Long> rate(long limit, AttachmentRecord record) {
        return limit > 0 ? Optional.of(TokenBucket.of(limit, record.mtu()).rate()) : Optional.empty();
    }
}

package io.enipam.datapath.veth;

import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.link.Expectation;
import io.enipam.datapath.link.Expectation.Side;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.link.RulePriorities;
import io.enipam.datapath.link.TokenBucket;
import io.enipam.datapath.pair.PairExpectation;
import io.enipam.datapath.pair.VethPair;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.sdk.Family;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How the kernel looks when a pod is well connected by a veth pair. */
final class VethExpectation {
    private VethExpectation() {}

    static Expectation of(AttachmentRecord record, LinkContext node) {
        Optional<Links.Link> eni = node.links().byMac(record.eniMac());
        String eniName = eni.map(Links.Link::name).orElse("(no link with " + record.eniMac() + ")");
        return new Expectation(
                nodeSide(record, node, eniName),
                PairExpectation.podSide(VethPair.of(record)),
                rules(record),
                eni.isPresent() ? NodeSysctls.all(record, eniName) : Map.of());
    }

    private static List<Expectation.Rule> rules(AttachmentRecord record) {
        List<Expectation.Rule> rules = new ArrayList<>();
        String table = Long.toString(record.table());
        for (PodAddress address : record.addresses()) {
            boolean ipv6 = address.family() == Family.IPV6;
            rules.add(new Expectation.Rule(ipv6, RulePriorities.TO_POD, "all", address.ip(), "", "main"));
            rules.add(new Expectation.Rule(ipv6, RulePriorities.FROM_POD, address.ip(), "", record.hostLink(), table));
        }
        return rules;
    }

    private static Side nodeSide(AttachmentRecord record, LinkContext node, String eni) {
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
                TokenBucket.shown(record.ingress(), record.mtu()));
    }
}

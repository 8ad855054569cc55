package io.enipam.datapath.exclusive;

import io.enipam.datapath.link.Expectation;
import io.enipam.datapath.link.Forwarding;
import io.enipam.datapath.link.TokenBucket;
import io.enipam.datapath.pair.PairExpectation;
import io.enipam.datapath.pair.VethPair;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.engine.model.DatapathResult;
import io.enipam.sdk.Address;
import java.util.ArrayList;
import java.util.List;

/** A pod that is well connected, as the kernel shows it and as a CNI result tells it. */
final class ExclusiveExpectation {
    private ExclusiveExpectation() {}

    /** @param nicIsHere whether the ENI's NIC is in the node's namespace: an ENI that was attached again brings it there */
    static Expectation expectation(AttachmentRecord record, boolean nicIsHere) {
        VethPair pair = ExclusiveKind.pair(record);
        String nic = record.podLink();
        List<Expectation.OnLink> addresses = new ArrayList<>();
        List<Expectation.Neighbour> neighbours = new ArrayList<>();
        List<Expectation.Route> routes = new ArrayList<>();
        for (PodAddress address : record.addresses()) {
            String gateway = VethPair.gateway(address.family());
            addresses.add(new Expectation.OnLink(nic, address.inSubnet()));
            neighbours.add(new Expectation.Neighbour(ExclusiveKind.SIDE, gateway, record.hostMac()));
            routes.add(new Expectation.Route("main", "unicast", "default", address.gateway(), nic));
            for (String cidr : record.throughNode(address.family())) {
                routes.add(new Expectation.Route("main", "unicast", shown(cidr), gateway, ExclusiveKind.SIDE));
            }
        }
        return new Expectation(
                PairExpectation.nodeSide(pair),
                new Expectation.Side(
                        List.of(
                                new Expectation.Link(nic, record.eniMac(), nicIsHere),
                                new Expectation.Link(ExclusiveKind.SIDE, pair.peerMac())),
                        addresses,
                        neighbours,
                        routes,
                        TokenBucket.shown(record.egress(), record.mtu())),
                List.of(),
                Forwarding.sysctls(record));
    }

    /** A destination as the kernel shows it: an address alone has no length. */
    private static String shown(String cidr) {
        Address address = Address.parse(cidr);
        return address.prefixLength() == address.family().bits() ? address.host() : cidr;
    }

    static DatapathResult wiring(AttachmentRecord record) {
        VethPair pair = ExclusiveKind.pair(record);
        List<DatapathResult.Route> routes = new ArrayList<>();
        for (PodAddress address : record.addresses()) {
            routes.add(new DatapathResult.Route(address.everywhere(), address.gateway()));
            record.throughNode(address.family())
                    .forEach(cidr -> routes.add(new DatapathResult.Route(cidr, VethPair.gateway(address.family()))));
        }
        return new DatapathResult(
                List.of(
                        new DatapathResult.Link(record.hostLink(), record.hostMac(), record.mtu(), ""),
                        new DatapathResult.Link(record.podLink(), record.eniMac(), record.mtu(), record.netns()),
                        new DatapathResult.Link(ExclusiveKind.SIDE, pair.peerMac(), record.mtu(), record.netns())),
                record.addresses().stream()
                        .map(address -> new DatapathResult.PodAddress(Address.parse(address.inSubnet()), address.gateway(), 1))
                        .toList(),
                routes);
    }
}

package io.enipam.datapath.pair;

import io.enipam.datapath.link.Expectation;
import io.enipam.datapath.link.TokenBucket;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import java.util.ArrayList;
import java.util.List;

/** How the sides of a pair look when all is well. */
public final class PairExpectation {
    private PairExpectation() {}

    /** The node's, where {@link NodeEnd#connect} made it. */
    public static Expectation.Side nodeSide(VethPair pair) {
        AttachmentRecord record = pair.record();
        List<Expectation.Neighbour> neighbours = new ArrayList<>();
        List<Expectation.Route> routes = new ArrayList<>();
        for (PodAddress address : record.addresses()) {
            neighbours.add(new Expectation.Neighbour(record.hostLink(), address.ip(), pair.peerMac()));
            routes.add(new Expectation.Route("main", "unicast", address.ip(), "", record.hostLink()));
        }
        return new Expectation.Side(
                List.of(new Expectation.Link(record.hostLink(), record.hostMac())),
                List.of(),
                neighbours,
                routes,
                TokenBucket.shown(record.ingress(), record.mtu()));
    }

    /** The pod's, where {@link PodEnd#connect} made it. */
    public static Expectation.Side podSide(VethPair pair) {
        AttachmentRecord record = pair.record();
        String link = pair.peer();
        List<Expectation.OnLink> addresses = new ArrayList<>();
        List<Expectation.Neighbour> neighbours = new ArrayList<>();
        List<Expectation.Route> routes = new ArrayList<>();
        for (PodAddress address : record.addresses()) {
            String gateway = VethPair.gateway(address.family());
            addresses.add(new Expectation.OnLink(link, address.alone()));
            neighbours.add(new Expectation.Neighbour(link, gateway, record.hostMac()));
            routes.add(new Expectation.Route("main", "unicast", "default", gateway, link));
        }
        return new Expectation.Side(
                List.of(new Expectation.Link(link, pair.peerMac())),
                addresses,
                neighbours,
                routes,
                TokenBucket.shown(record.egress(), record.mtu()));
    }
}

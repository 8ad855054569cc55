package io.enipam.datapath.pair;

import io.enipam.datapath.link.Expectation;
import io.enipam.datapath.link.TokenBucket;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How the node's side of a pair looks when all is well. */
public final class PairExpectation {
    private PairExpectation() {}

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
                rate(record.ingress(), record));
    }

    /** A limit as the kernel shows it. */
    public static Optional<Long> rate(long limit, AttachmentRecord record) {
        return limit > 0 ? Optional.of(TokenBucket.of(limit, record.mtu()).rate()) : Optional.empty();
    }
}

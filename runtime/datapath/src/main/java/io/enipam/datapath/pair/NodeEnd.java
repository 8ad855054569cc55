package io.enipam.datapath.pair;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.link.Forwarding;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.link.TokenBucket;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.sdk.Family;

/** The node's end of a pair; each of its commands may be repeated. */
public final class NodeEnd {
    private NodeEnd() {}

    /** Makes the pair, and all there is on the node's side where its main table knows every way. In one process. */
    public static void connect(VethPair pair, LinkContext node) {
        AttachmentRecord record = pair.record();
        Forwarding.sysctls(record).forEach(node.sysctls()::set);
        Batch here = Batch.here();
        pair.make(here, node);
        ready(record, here);
        for (PodAddress address : record.addresses()) {
            here.ip("neigh replace " + address.ip() + " lladdr " + pair.peerMac() + " dev " + record.hostLink()
                    + " nud permanent");
            route(record, address, here);
        }
        limit(record, here);
        pair.run(here, node);
    }

    /** Adds what makes it ready: whose it is, and where pods find a gateway. */
    public static void ready(AttachmentRecord record, Batch here) {
        String link = record.hostLink();
        here.ip("link set dev " + link + " alias " + record.alias());
        if (record.has(Family.IPV6)) {
            here.ip("link set dev " + link + " addrgenmode none");
        }
        here.ip("link set dev " + link + " up");
        if (record.has(Family.IPV6)) {
            // what asks for a pod's hardware address needs an address that is no more on trial
            here.ip("addr replace " + VethPair.gateway(Family.IPV6) + "/64 dev " + link + " nodad");
        }
    }

    /** Adds the way to an address of the pod. */
    public static void route(AttachmentRecord record, PodAddress address, Batch here) {
        here.ip("route replace " + address.alone() + " dev " + record.hostLink()
                + (address.family() == Family.IPV4 ? " scope link" : "") + " protocol " + Batch.PROTOCOL);
    }

    /** Adds the limit on what goes to the pod, if there is one. */
    public static void limit(AttachmentRecord record, Batch here) {
        if (record.ingress() > 0) {
            here.tc(TokenBucket.of(record.ingress(), record.mtu()).command(record.hostLink()));
        }
    }
}

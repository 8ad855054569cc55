package io.enipam.datapath.pair;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.link.TokenBucket;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.sdk.Family;

/** The pod's end of a pair; each of its commands may be repeated. */
public final class PodEnd {
    private PodEnd() {}

    /**
     * Makes all there is in the pod's namespace where everything goes through the pair. In one process; nothing where the record was
     * lost, and with it which namespace it is.
     */
    public static void connect(VethPair pair, LinkContext node) {
        AttachmentRecord record = pair.record();
        if (record.netns().isEmpty()) {
            return;
        }
        Batch pod = Batch.in(record.netns());
        ready(pair, pod);
        for (PodAddress address : record.addresses()) {
            pod.ip("addr replace " + address.alone() + " dev " + pair.peer()
                            + (address.family() == Family.IPV6 ? " nodad" : ""))
                    .ip("route replace default via " + VethPair.gateway(address.family()) + " dev " + pair.peer()
                            + " onlink");
        }
        if (record.egress() > 0) {
            pod.tc(TokenBucket.of(record.egress(), record.mtu()).command(pair.peer()));
        }
        node.runner().run(pod);
    }

    /** Adds what makes it ready: up, and the node's end known. */
    public static void ready(VethPair pair, Batch pod) {
        AttachmentRecord record = pair.record();
        if (record.has(Family.IPV6)) {
            String conf = "net/ipv6/conf/" + pair.peer() + "/";
            pod.sysctl(conf + "disable_ipv6", "0")
                    .sysctl(conf + "accept_ra", "0")
                    .sysctl(conf + "accept_dad", "0");
        }
        pod.ip("link set dev " + pair.peer() + " up");
        for (PodAddress address : record.addresses()) {
            pod.ip("neigh replace " + VethPair.gateway(address.family()) + " lladdr " + record.hostMac() + " dev "
                    + pair.peer() + " nud permanent");
        }
    }
}

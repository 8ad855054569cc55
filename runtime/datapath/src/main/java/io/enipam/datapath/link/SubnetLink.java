package io.enipam.datapath.link;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.sdk.Family;

/** A pod's link that is in the subnet itself, and leaves it by the subnet's gateway; each of its commands may be repeated. */
public final class SubnetLink {
    private SubnetLink() {}

    /** Adds to a batch of the pod's namespace what is to be so before the link is up. */
    public static void sysctls(AttachmentRecord record, Batch pod) {
        if (record.has(Family.IPV6)) {
            String conf = "net/ipv6/conf/" + record.podLink() + "/";
            pod.sysctl(conf + "disable_ipv6", "0").sysctl(conf + "accept_ra", "0");
        }
    }

    /** Adds to it the addresses and the ways out. */
    public static void addresses(AttachmentRecord record, Batch pod) {
        String link = record.podLink();
        for (PodAddress address : record.addresses()) {
            pod.ip("addr replace " + address.inSubnet() + " dev " + link
                            + (address.family() == Family.IPV6 ? " nodad" : ""))
                    .ip("route replace default via " + address.gateway() + " dev " + link + " onlink");
        }
    }
}

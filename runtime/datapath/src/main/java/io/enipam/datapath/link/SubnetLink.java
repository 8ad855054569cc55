package io.enipam.datapath.link;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
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

    /** The error that another plugin's link in the pod has the name that ours needs. */
    public static IpamException nameConflict(String link, AttachmentRecord record) {
        return new IpamException(
                ErrorCode.DATAPATH_FAILED,
                "the interface " + link + " is already present in " + record.netns() + " and is not enipam's",
                "another plugin made it: set another CNI_IFNAME, or remove that plugin from the network's list");
    }
}

package io.enipam.datapath.ipvlan;

import io.enipam.datapath.iproute.CommandFailedException;
import io.enipam.datapath.iproute.Netns;
import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.record.AttachmentRecord;
import java.util.List;

/** The pod's link, looked at in its namespace before it is taken for ours. */
final class PodSlave {
    private PodSlave() {}

    /** Whether the pod's link of the name is a slave of its ENI: a repeated ADD's, or one that is mended. */
    static boolean isThere(AttachmentRecord record, LinkContext node) {
        String link = node.runner()
                .read(record.netns(), List.of("ip -j -d link show dev " + record.podLink()))
                .get(0);
        return link.contains("\"info_kind\":\"ipvlan\"") && link.contains(record.eniMac());
    }

    /**
     * Whether it is still there, and not another pod's in a namespace that has the path of one that ended: the number of
     * a process comes again. The kernel deletes a link of any type by its name.
     */
    static boolean isOurs(AttachmentRecord record, LinkContext node) {
        if (!Netns.usable(record.netns())) {
            return false;
        }
        List<String> own = record.addresses().stream()
                .map(AttachmentRecord.PodAddress::inSubnet)
                .toList();
        try {
            NetnsSnapshot pod = NetnsSnapshot.of(node.runner(), record.netns());
            boolean others = pod.addresses().stream()
                    .filter(on ->
                            on.link().equals(record.podLink()) && !on.address().startsWith("fe80:"))
                    .anyMatch(on -> !own.contains(on.address()));
            return !others
                    && pod.link(record.podLink())
                            .filter(link -> link.mac().equals(record.eniMac()))
                            .isPresent();
        } catch (CommandFailedException e) {
            if (Netns.usable(record.netns())) {
                throw e;
            }
            // it ended meanwhile, and its links with it
            return false;
        }
    }
}

package io.enipam.datapath.exclusive;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.CommandFailedException;
import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.link.SubnetLink;
import io.enipam.datapath.link.LinkNameConflict;
import io.enipam.datapath.link.TokenBucket;
import io.enipam.datapath.pair.NodeEnd;
import io.enipam.datapath.pair.PodEnd;
import io.enipam.datapath.pair.VethPair;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import java.util.Optional;

/**
 * Connects one pod: one process on the node's side, where the pair is made and the NIC leaves, and one in the pod's namespace. The
 * NIC goes last in the first: whatever fails before leaves it where it is.
 */
final class ExclusiveConnector {
    private final AttachmentRecord record;
    private final LinkContext node;
    private final VethPair pair;

    ExclusiveConnector(AttachmentRecord record, LinkContext node) {
        this.record = record;
        this.node = node;
        this.pair = ExclusiveKind.pair(record);
    }

    void connect() {
        NodeEnd.connect(pair, node);
        move();
        node.runner().run(podSide());
    }

    private void move() {
        Optional<Links.Link> nic = node.links().byMac(record.eniMac());
        if (nic.isEmpty()) {
            inPlace();
            return;
        }
        String name = nic.get().name();
        try {
            node.runner()
                    .run(Batch.here()
                            .ip("link set dev " + name + " alias "
                                    + Nic.of(record).alias())
                            .ip("link set dev " + name + " down")
                            .ip("link set dev " + name + " netns " + record.netns() + " name " + record.podLink()));
        } catch (CommandFailedException e) {
            if (e.answer().contains("same name exists") || e.answer().contains(Batch.EXISTS)) {
                throw LinkNameConflict.inPod(record.podLink(), record);
            }
            throw e;
        }
    }

    /** After half an ADD it is in the pod, under whatever name. */
    private void inPlace() {
        String name = PodLink.find(node.runner(), record.netns(), record.eniMac())
                .orElseThrow(() -> new IpamException(
                        ErrorCode.DATAPATH_FAILED,
                        "the ENI with the hardware address " + record.eniMac()
                                + " left the node while the pod was connected",
                        "see 'enipam eni list': it was detached, or another pod got it"))
                .name();
        if (!name.equals(record.podLink())) {
            node.runner()
                    .run(Batch.in(record.netns())
                            .ip("link set dev " + name + " down")
                            .ip("link set dev " + name + " name " + record.podLink()));
        }
    }

    private Batch podSide() {
        Batch pod = Batch.in(record.netns());
        String nic = record.podLink();
        SubnetLink.sysctls(record, pod);
        // the kernel takes the larger of a link's and that of all: what comes from services and the node may be
        // answered by the NIC
        pod.sysctl("net/ipv4/conf/" + ExclusiveKind.SIDE + "/rp_filter", "2");
        PodEnd.ready(pair, pod);
        pod.ip("link set dev " + nic + " mtu " + record.mtu() + " up");
        SubnetLink.addresses(record, pod);
        for (PodAddress address : record.addresses()) {
            for (String cidr : record.throughNode(address.family())) {
                pod.ip("route replace " + cidr + " via " + VethPair.gateway(address.family()) + " dev "
                        + ExclusiveKind.SIDE + " onlink src " + address.ip());
            }
        }
        if (record.egress() > 0) {
            TokenBucket bucket = TokenBucket.of(record.egress(), record.mtu());
            pod.tc(bucket.command(nic)).tc(bucket.command(ExclusiveKind.SIDE));
        }
        return pod;
    }
}

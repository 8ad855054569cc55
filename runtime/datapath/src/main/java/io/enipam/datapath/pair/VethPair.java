package io.enipam.datapath.pair;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.CommandFailedException;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.link.LinkNameConflict;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.sdk.Family;
import java.util.List;

/**
 * The pair of one pod. On the node's side it is called by the container's id and carries its owner's name, and the pod is told of
 * the hardware address there, so that it never asks for it.
 *
 * @param record whose it is
 * @param peer what its end in the pod is called
 * @param peerMac the hardware address there
 */
public record VethPair(AttachmentRecord record, String peer, String peerMac) {
    /** The pair that is all of a pod's connection. */
    public static VethPair of(AttachmentRecord record) {
        return new VethPair(record, record.podLink(), record.podMac());
    }

    /** Where the pod's routes through the pair lead: an address nobody has. */
    public static String gateway(Family family) {
        return family == Family.IPV4 ? "169.254.1.1" : "fe80::1";
    }

    /**
     * Adds to a batch of the node's namespace what makes the pair, unless it is there and whole.
     *
     * @throws IpamException if something else has its name
     */
    public void make(Batch here, LinkContext node) {
        if (node.links().byName(record.hostLink()).isPresent()) {
            keepOrRemove(node);
        }
        if (node.links().byName(record.hostLink()).isEmpty()) {
            here.ip("link add name " + record.hostLink() + " address " + record.hostMac() + " mtu " + record.mtu()
                    + " type veth peer name " + peer + " address " + peerMac + " mtu " + record.mtu() + " netns "
                    + record.netns());
        }
    }

    /** A link of its name: a repeated ADD's, unless the pod's end is elsewhere or nowhere. */
    private void keepOrRemove(LinkContext node) {
        if (!node.links().macOf(record.hostLink()).equals(record.hostMac())) {
            throw new IpamException(
                    ErrorCode.DATAPATH_FAILED,
                    "the link " + record.hostLink() + " exists and is not enipam's: its hardware address is not "
                            + record.hostMac(),
                    "see 'ip -d link show dev " + record.hostLink() + "'; remove it, or set another veth_prefix");
        }
        // of a lost record nothing tells which namespace it was
        if (!record.netns().isEmpty() && !peerIsThere(node)) {
            node.runner().run(Batch.here().ipIfThere("link del dev " + record.hostLink()));
        }
    }

    private boolean peerIsThere(LinkContext node) {
        try {
            return node.runner()
                    .read(record.netns(), List.of("ip link show dev " + peer))
                    .get(0)
                    .contains(peerMac);
        } catch (CommandFailedException e) {
            return false;
        }
    }

    /**
     * Runs the batch that makes the pair.
     *
     * @throws IpamException if the pod has a link of its name already
     */
    public void run(Batch here, LinkContext node) {
        try {
            node.runner().run(here);
        } catch (CommandFailedException e) {
            throw e.command().startsWith("link add") && e.answer().contains(Batch.EXISTS)
                    ? LinkNameConflict.inPod(peer, record)
                    : e;
        }
    }

    /** Adds to a batch of the node's namespace what takes the pair away; the pod's end goes with it. */
    public void remove(Batch here, LinkContext node) {
        // a link of another hardware address has taken the name: it is not ours
        if (node.links().macOf(record.hostLink()).equals(record.hostMac())) {
            here.ipIfThere("link del dev " + record.hostLink());
        }
    }
}

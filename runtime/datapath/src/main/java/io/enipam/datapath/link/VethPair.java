package io.enipam.datapath.link;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.NetnsSnapshot.Neighbour;
import io.enipam.datapath.iproute.NetnsSnapshot.OnLink;
import io.enipam.datapath.iproute.Runner.CommandFailedException;
import io.enipam.datapath.link.Expectation.Route;
import io.enipam.datapath.netlink.Rtnetlink.VethEnd;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import java.util.List;

/**
 * The veth pair of one pod. On the node's side it is named by the container's id and has its owner in its alias; {@code
 * peer} is its end in the pod, which has a permanent neighbour for the hardware address of the node's, so that it never
 * asks for it. Every command of both sides may be repeated.
 */
public record VethPair(AttachmentRecord record, String peer, String peerMac) {
    /** The pair that is all of a pod's connection. */
    public static VethPair of(AttachmentRecord record) {
        return new VethPair(record, record.podLink(), record.ends().podMac());
    }

    /** Where the pod's routes through the pair lead: an address that no host has. */
    public static String gateway(Family family) {
        return family == Family.IPV4 ? "169.254.1.1" : "fe80::1";
    }

    /**
     * Adds to a batch of the node's namespace what makes the pair, unless it is there and whole. Throws IpamException
     * if something else has its name.
     */
    public void make(Batch here, LinkContext node) {
        if (node.links().byName(record.hostLink()).isPresent()) {
            keepOrRemove(node);
        }
        if (node.links().byName(record.hostLink()).isEmpty()) {
            here.veth(
                    new VethEnd(record.hostLink(), record.hostMac()),
                    new VethEnd(peer, peerMac),
                    record.mtu(),
                    record.netns());
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
        // a recovered record has no namespace
        if (!record.netns().isEmpty() && !peerIsThere(node)) {
            node.runner().run(Batch.here().noLink(record.hostLink()));
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

    /** Runs the batch that makes the pair. Throws IpamException if the pod has a link of its name already. */
    public void run(Batch here, LinkContext node) {
        try {
            node.runner().run(here);
        } catch (CommandFailedException e) {
            throw e.command().startsWith("link add") && e.answer().contains(Batch.EXISTS)
                    ? NodeLinks.nameConflict(peer, record)
                    : e;
        }
    }

    /** Adds to a batch of the node's namespace what takes the pair away; the pod's end goes with it. */
    public void remove(Batch here, LinkContext node) {
        // a link of another hardware address has taken the name: it is not ours
        if (node.links().macOf(record.hostLink()).equals(record.hostMac())) {
            here.noLink(record.hostLink());
        }
    }

    /** Makes the pair, and all there is on the node's side where its main table knows every way, by one batch. */
    public void connectNode(LinkContext node) {
        node.forward(record);
        Batch here = Batch.here();
        make(here, node);
        nodeReady(here);
        for (PodAddress address : record.addresses()) {
            here.neighbour(address.ip(), peerMac, record.hostLink());
            here.podRoute(address.alone(), record.hostLink());
        }
        limitNode(here);
        run(here, node);
    }

    /** Adds what makes it ready: whose it is, and where pods find a gateway. */
    public void nodeReady(Batch here) {
        String link = record.hostLink();
        here.alias(link, record.alias());
        if (record.has(Family.IPV6)) {
            here.withoutOwnAddresses(link);
        }
        here.up(link);
        if (record.has(Family.IPV6)) {
            // what asks for a pod's hardware address needs an address that is no more on trial
            here.address(gateway(Family.IPV6) + "/64", link);
        }
    }

    /** Adds the limit on what goes to the pod, if there is one. */
    public void limitNode(Batch here) {
        if (record.ingress() > 0) {
            TokenBucket.of(record.ingress(), record.mtu()).limit(record.hostLink(), here);
        }
    }

    /**
     * Makes all there is in the pod's namespace where everything goes through the pair, by one batch; nothing where the record was
     * lost, and with it which namespace it is.
     */
    public void connectPod(LinkContext node) {
        if (record.netns().isEmpty()) {
            return;
        }
        Batch pod = Batch.in(record.netns());
        podReady(pod);
        for (PodAddress address : record.addresses()) {
            pod.address(address.alone(), peer).defaultRoute(gateway(address.family()), peer);
        }
        if (record.egress() > 0) {
            TokenBucket.of(record.egress(), record.mtu()).limit(peer, pod);
        }
        node.runner().run(pod);
    }

    /** Adds what makes it ready: up, and the node's end known. */
    public void podReady(Batch pod) {
        if (record.has(Family.IPV6)) {
            String conf = "net/ipv6/conf/" + peer + "/";
            pod.sysctl(conf + "disable_ipv6", "0")
                    .sysctl(conf + "accept_ra", "0")
                    .sysctl(conf + "accept_dad", "0");
        }
        pod.up(peer);
        for (PodAddress address : record.addresses()) {
            pod.neighbour(gateway(address.family()), record.hostMac(), peer);
        }
    }

    /** The node's, where {@link #connectNode} made it. */
    public Expectation.Side nodeSide() {
        String link = record.hostLink();
        return new Expectation.Side(
                List.of(new Expectation.Link(link, record.hostMac())),
                List.of(),
                record.each(address -> new Neighbour(link, address.ip(), peerMac, true)),
                record.each(address -> Route.main(address.ip(), "", link)),
                TokenBucket.shown(record.ingress(), record.mtu()));
    }

    /** The pod's, where {@link #connectPod} made it. */
    public Expectation.Side podSide() {
        return new Expectation.Side(
                List.of(new Expectation.Link(peer, peerMac)),
                record.each(address -> new OnLink(peer, address.alone())),
                record.each(address -> new Neighbour(peer, gateway(address.family()), record.hostMac(), true)),
                record.each(address -> Route.main("default", gateway(address.family()), peer)),
                TokenBucket.shown(record.egress(), record.mtu()));
    }

    /** The pair's two ends, as a CNI result has them. */
    List<DatapathResult.Link> links() {
        return List.of(
                new DatapathResult.Link(record.hostLink(), record.hostMac(), record.mtu(), ""),
                new DatapathResult.Link(peer, peerMac, record.mtu(), record.netns()));
    }

    /** How a pod is connected by the pair alone, as a CNI result. */
    public DatapathResult result() {
        return new DatapathResult(
                links(),
                record.each(address ->
                        new DatapathResult.PodAddress(Address.parse(address.alone()), gateway(address.family()), 1)),
                record.each(address -> new DatapathResult.Route(address.everywhere(), gateway(address.family()))));
    }
}

package io.enipam.datapath.link;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.iproute.Runner.CommandFailedException;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import java.util.ArrayList;
import java.util.List;

/**
 * The veth pair of one pod. On the node's side it is named by the container's id and has its owner in its alias; the pod has a
 * permanent neighbour for the hardware address there, so that it never asks for it. Every command of both sides may be repeated.
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

    /** Where the pod's routes through the pair lead: an address that no host has. */
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
        // a recovered record has no namespace
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
                    ? SubnetLink.nameConflict(peer, record)
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

    /** Makes the pair, and all there is on the node's side where its main table knows every way. In one process. */
    public void connectNode(LinkContext node) {
        NodeLinks.forwarding(record).forEach(node.sysctls()::set);
        Batch here = Batch.here();
        make(here, node);
        nodeReady(here);
        for (PodAddress address : record.addresses()) {
            here.ip("neigh replace " + address.ip() + " lladdr " + peerMac + " dev " + record.hostLink()
                    + " nud permanent");
            route(address, here);
        }
        limitNode(here);
        run(here, node);
    }

    /** Adds what makes it ready: whose it is, and where pods find a gateway. */
    public void nodeReady(Batch here) {
        String link = record.hostLink();
        here.ip("link set dev " + link + " alias " + record.alias());
        if (record.has(Family.IPV6)) {
            here.ip("link set dev " + link + " addrgenmode none");
        }
        here.ip("link set dev " + link + " up");
        if (record.has(Family.IPV6)) {
            // what asks for a pod's hardware address needs an address that is no more on trial
            here.ip("addr replace " + gateway(Family.IPV6) + "/64 dev " + link + " nodad");
        }
    }

    /** Adds the way to an address of the pod. */
    public void route(PodAddress address, Batch here) {
        here.ip("route replace " + address.alone() + " dev " + record.hostLink()
                + (address.family() == Family.IPV4 ? " scope link" : "") + " protocol " + Batch.PROTOCOL);
    }

    /** Adds the limit on what goes to the pod, if there is one. */
    public void limitNode(Batch here) {
        if (record.ingress() > 0) {
            here.tc(TokenBucket.of(record.ingress(), record.mtu()).command(record.hostLink()));
        }
    }

    /**
     * Makes all there is in the pod's namespace where everything goes through the pair. In one process; nothing where the record was
     * lost, and with it which namespace it is.
     */
    public void connectPod(LinkContext node) {
        if (record.netns().isEmpty()) {
            return;
        }
        Batch pod = Batch.in(record.netns());
        podReady(pod);
        for (PodAddress address : record.addresses()) {
            pod.ip("addr replace " + address.alone() + " dev " + peer
                            + (address.family() == Family.IPV6 ? " nodad" : ""))
                    .ip("route replace default via " + gateway(address.family()) + " dev " + peer + " onlink");
        }
        if (record.egress() > 0) {
            pod.tc(TokenBucket.of(record.egress(), record.mtu()).command(peer));
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
        pod.ip("link set dev " + peer + " up");
        for (PodAddress address : record.addresses()) {
            pod.ip("neigh replace " + gateway(address.family()) + " lladdr " + record.hostMac() + " dev " + peer
                    + " nud permanent");
        }
    }

    /** The node's, where {@link #connectNode} made it. */
    public Expectation.Side nodeSide() {
        List<Expectation.Neighbour> neighbours = new ArrayList<>();
        List<Expectation.Route> routes = new ArrayList<>();
        for (PodAddress address : record.addresses()) {
            neighbours.add(new Expectation.Neighbour(record.hostLink(), address.ip(), peerMac));
            routes.add(new Expectation.Route("main", "unicast", address.ip(), "", record.hostLink()));
        }
        return new Expectation.Side(
                List.of(new Expectation.Link(record.hostLink(), record.hostMac())),
                List.of(),
                neighbours,
                routes,
                TokenBucket.shown(record.ingress(), record.mtu()));
    }

    /** The pod's, where {@link #connectPod} made it. */
    public Expectation.Side podSide() {
        String link = peer;
        List<NetnsSnapshot.OnLink> addresses = new ArrayList<>();
        List<Expectation.Neighbour> neighbours = new ArrayList<>();
        List<Expectation.Route> routes = new ArrayList<>();
        for (PodAddress address : record.addresses()) {
            String gateway = gateway(address.family());
            addresses.add(new NetnsSnapshot.OnLink(link, address.alone()));
            neighbours.add(new Expectation.Neighbour(link, gateway, record.hostMac()));
            routes.add(new Expectation.Route("main", "unicast", "default", gateway, link));
        }
        return new Expectation.Side(
                List.of(new Expectation.Link(link, peerMac)),
                addresses,
                neighbours,
                routes,
                TokenBucket.shown(record.egress(), record.mtu()));
    }

    /** How a pod is connected by the pair alone, as a CNI result. */
    public DatapathResult result() {
        return new DatapathResult(
                List.of(
                        new DatapathResult.Link(record.hostLink(), record.hostMac(), record.mtu(), ""),
                        new DatapathResult.Link(record.podLink(), record.podMac(), record.mtu(), record.netns())),
                record.addresses().stream()
                        .map(address -> new DatapathResult.PodAddress(
                                Address.parse(address.alone()), gateway(address.family()), 1))
                        .toList(),
                record.addresses().stream()
                        .map(address -> new DatapathResult.Route(address.everywhere(), gateway(address.family())))
                        .toList());
    }
}

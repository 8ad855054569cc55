package io.enipam.datapath.pair;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.CommandFailedException;
import io.enipam.datapath.iproute.Snapshot;
import io.enipam.datapath.link.Node;
import io.enipam.datapath.link.TokenBucket;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import java.net.InetAddress;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The pair of one pod. On the node's side it is called by the container's id and carries its owner's name; there is no address on
 * it, and both ends are told of each other's hardware address, so that nobody asks for it.
 *
 * @param record whose it is
 * @param peer what its end in the pod is called
 * @param peerMac the hardware address there
 */
public record VethPair(AttachmentRecord record, String peer, String peerMac) {
    /** What routes of ours are marked with: a routing protocol that nobody has. */
    public static final String PROTOCOL = "69";

    /** Where the pod's routes through the pair lead: an address nobody has. */
    public static String gateway(Family family) {
        return family == Family.IPV4 ? "169.254.1.1" : "fe80::1";
    }

    /** The node's sysctls that a pod behind a pair needs. */
    public Map<String, String> sysctls() {
        Map<String, String> wanted = new TreeMap<>();
        if (record.has(Family.IPV4)) {
            wanted.put("net/ipv4/ip_forward", "1");
        }
        if (record.has(Family.IPV6)) {
            wanted.put("net/ipv6/conf/all/forwarding", "1");
        }
        return wanted;
    }

    /**
     * Adds to a batch of the node's namespace what makes the pair, unless it is there and whole.
     *
     * @throws IpamException if something else has its name
     */
    public void make(Batch here, Node node) {
        if (node.links().byName(record.hostLink()).isPresent()) {
            keepOrRemove(node);
        }
        if (node.links().byName(record.hostLink()).isEmpty()) {
            here.ip("link add name " + record.hostLink() + " address " + record.hostMac() + " mtu " + record.mtu()
                    + " type veth peer name " + peer + " address " + peerMac + " mtu " + record.mtu() + " netns "
                    + record.netns());
        }
    }

    /** One that is there may be a repeated ADD's; one whose other end is elsewhere is of no use. */
    private void keepOrRemove(Node node) {
        if (!node.links().macOf(record.hostLink()).equals(record.hostMac())) {
            throw new IpamException(
                    ErrorCode.DATAPATH_FAILED,
                    "the link " + record.hostLink() + " exists and is not enipam's: its hardware address is not "
                            + record.hostMac(),
                    "see 'ip -d link show dev " + record.hostLink() + "'; remove it, or set another veth_prefix");
        }
        try {
            node.runner().run(Batch.in(record.netns()).ip("link set dev " + peer + " address " + peerMac));
        } catch (CommandFailedException e) {
            node.runner().run(Batch.here().ipIfThere("link del dev " + record.hostLink()));
        }
    }

    /** Adds the node's side: the way to the pod, and the limit on what goes there. All of it may be repeated. */
    public void nodeSide(Batch here) {
        String link = record.hostLink();
        here.ip("link set dev " + link + " alias " + record.alias());
        if (record.has(Family.IPV6)) {
            here.ip("link set dev " + link + " addrgenmode none");
        }
        here.ip("link set dev " + link + " up");
        if (record.has(Family.IPV6)) {
            here.ip("addr replace " + gateway(Family.IPV6) + "/64 dev " + link + " nodad");
        }
        for (PodAddress address : record.addresses()) {
            here.ip("neigh replace " + address.ip() + " lladdr " + peerMac + " dev " + link + " nud permanent");
            here.ip("route replace " + address.alone() + " dev " + link
                    + (address.family() == Family.IPV4 ? " scope link" : "") + " protocol " + PROTOCOL);
        }
        if (record.ingress() > 0) {
            here.tc(TokenBucket.of(record.ingress(), record.mtu()).command(link));
        }
    }

    /**
     * Runs the batch that makes the pair.
     *
     * @throws IpamException if the pod has a link of its name already
     */
    public void run(Batch here, Node node) {
        try {
            node.runner().run(here);
        } catch (CommandFailedException e) {
            if (e.command().startsWith("link add") && e.answer().contains(Batch.EXISTS)) {
                throw present(peer, record);
            }
            throw e;
        }
    }

    /** Somebody else's link has the name that ours needs. */
    public static IpamException present(String link, AttachmentRecord record) {
        return new IpamException(
                ErrorCode.DATAPATH_FAILED,
                "the interface " + link + " is already present in " + record.netns() + " and is not enipam's",
                "another plugin made it: set another CNI_IFNAME, or remove that plugin from the network's list");
    }

    /** Adds to a batch of the pod's namespace what makes its end ready: up, and the node's side known. */
    public void podSide(Batch pod) {
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

    /** Adds to a batch of the node's namespace what takes the pair away; the pod's end goes with it. */
    public void remove(Batch here, Node node) {
        // a link of another hardware address has taken the name: it is not ours
        if (node.links().macOf(record.hostLink()).equals(record.hostMac())) {
            here.ipIfThere("link del dev " + record.hostLink());
        }
    }

    /** The addresses that the node's namespace leads into the pair; empty if it is not there. */
    public static Optional<Set<InetAddress>> reached(AttachmentRecord record, Snapshot node) {
        return node.link(record.hostLink()).map(link -> reached(link.name(), node));
    }

    /** Those that it leads to a link, each by a route of its own. */
    public static Set<InetAddress> reached(String link, Snapshot node) {
        return node.routes().stream()
                .filter(route -> route.link().equals(link))
                .filter(route -> route.table().equals("main") && route.gateway().isEmpty())
                .filter(route -> route.destination().indexOf('/') < 0)
                .filter(route -> !route.destination().equals("default"))
                .map(route -> Address.literal(route.destination()))
                .collect(Collectors.toSet());
    }
}

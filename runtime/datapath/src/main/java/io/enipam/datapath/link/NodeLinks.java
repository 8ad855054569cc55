package io.enipam.datapath.link;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.iproute.Sysctls;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.LinkRequest.LinkType;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceKind;
import java.net.InetAddress;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Links of the node, found by what stays the same, since names and indexes change with a reboot or a detach; and routes to pods. */
public final class NodeLinks {
    /** Terway's, and the VPC's. */
    private static final int USUAL_MTU = 1500;

    private NodeLinks() {}

    /** Whether the network's configuration asks for this type of link and the pod's address is one of an ENI. */
    static boolean asksFor(LinkType type, DatapathRequest connection) {
        Resource resource = connection.lease().resource();
        return connection.link().type() == type
                && resource.kind().equals(ResourceKind.ENI_IP)
                && resource.attributes().containsKey(Resource.MAC);
    }

    /** The hardware address of the ENI that a connection's resource hangs on, in lower case; the resource has to name one. */
    public static String eniMac(DatapathRequest connection) {
        return connection.lease().resource().attributes().get(Resource.MAC).toLowerCase(Locale.ROOT);
    }

    /** The link of the ENI that a pod shares. Throws IpamException if there is none. */
    public static Links.Link eni(String mac, LinkContext node) {
        return node.links()
                .byMac(mac)
                .orElseThrow(() -> new IpamException(
                        ErrorCode.DATAPATH_FAILED,
                        "no link of this node has the hardware address " + mac + " of the pod's ENI",
                        "see 'ip link' and 'enipam eni list': the ENI is detached, or the node has not seen it yet"));
    }

    /** The MTU of the link that has the node's own address. */
    public static int ownMtu(LinkContext node) {
        return node.ownAddresses().stream()
                .flatMap(own -> node.links().byAddress(own).stream())
                .map(Links.Link::mtu)
                .filter(mtu -> mtu > 0)
                .findFirst()
                .orElse(USUAL_MTU);
    }

    /** An address as a network of its own. */
    static Address alone(InetAddress ip) {
        return new Address(ip, ip.getAddress().length * Byte.SIZE);
    }

    /** The node's routes to pods through a link: one for each address, in the main table. */
    public static Stream<NetnsSnapshot.Route> podRoutes(String link, NetnsSnapshot node) {
        return node.routes().stream()
                .filter(route -> route.link().equals(link))
                .filter(route -> route.table().equals("main") && route.type().equals("unicast"))
                .filter(route -> route.gateway().isEmpty())
                .filter(route -> route.destination().indexOf('/') < 0)
                .filter(route -> !route.destination().equals("default"));
    }

    /** The addresses that are led to a link. */
    public static Set<InetAddress> reached(String link, NetnsSnapshot node) {
        return podRoutes(link, node)
                .map(route -> Address.literal(route.destination()))
                .collect(Collectors.toSet());
    }

    /** The sysctls of a node that forwards what is for its pods and what comes from them: path below {@code /proc/sys} to value. */
    public static Map<String, String> forwarding(AttachmentRecord record) {
        Map<String, String> wanted = new TreeMap<>();
        if (record.has(Family.IPV4)) {
            wanted.put(Sysctls.IPV4_FORWARDING, "1");
            wanted.put(Sysctls.IPV4_NEW_LINKS_FORWARDING, "1");
        }
        if (record.has(Family.IPV6)) {
            wanted.put("net/ipv6/conf/all/forwarding", "1");
        }
        return wanted;
    }

    /** Adds to a batch of the pod's namespace what is to be so before a link in a subnet is up. */
    static void subnetSysctls(AttachmentRecord record, Batch pod) {
        if (record.has(Family.IPV6)) {
            String conf = "net/ipv6/conf/" + record.podLink() + "/";
            pod.sysctl(conf + "disable_ipv6", "0").sysctl(conf + "accept_ra", "0");
        }
    }

    /** Adds to it the addresses in their subnets and the ways out by the subnets' gateways. */
    static void subnetAddresses(AttachmentRecord record, Batch pod) {
        String link = record.podLink();
        for (PodAddress address : record.addresses()) {
            pod.address(address.inSubnet(), link).defaultRoute(address.gateway(), link);
        }
    }

    /** The error that another plugin's link in the pod has the name that ours needs. */
    static IpamException nameConflict(String link, AttachmentRecord record) {
        return new IpamException(
                ErrorCode.DATAPATH_FAILED,
                "the interface " + link + " is already present in " + record.netns() + " and is not enipam's",
                "another plugin made it: set another CNI_IFNAME, or remove that plugin from the network's list");
    }
}

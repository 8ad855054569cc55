package io.enipam.datapath.link;

import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.LinkRequest.LinkType;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceKind;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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

    /**
     * The link of the ENI that a pod shares.
     *
     * @throws IpamException if there is none
     */
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
        for (Family family : Family.values()) {
            Optional<InetAddress> own = node.side().address(family);
            for (String name : own.isPresent() ? node.links().names() : List.<String>of()) {
                Optional<Links.Link> link = node.links()
                        .byName(name)
                        .filter(found -> has(found, own.get()))
                        .filter(found -> found.mtu() > 0);
                if (link.isPresent()) {
                    return link.get().mtu();
                }
            }
        }
        return USUAL_MTU;
    }

    /** Whether a link has an address. */
    public static boolean has(Links.Link link, InetAddress address) {
        String text = address.getHostAddress();
        return link.addresses().stream().anyMatch(on -> on.equals(text) || on.startsWith(text + "/"));
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

    /** Those that are led to a sandbox's own link; empty if it is not there. */
    public static Optional<Set<InetAddress>> reached(AttachmentRecord record, NetnsSnapshot node) {
        return node.link(record.hostLink()).map(link -> reached(link.name(), node));
    }

    /** The sysctls of a node that forwards what is for its pods and what comes from them: path below {@code /proc/sys} to value. */
    public static Map<String, String> forwarding(AttachmentRecord record) {
        Map<String, String> wanted = new TreeMap<>();
        if (record.has(Family.IPV4)) {
            wanted.put("net/ipv4/ip_forward", "1");
        }
        if (record.has(Family.IPV6)) {
            wanted.put("net/ipv6/conf/all/forwarding", "1");
        }
        return wanted;
    }
}

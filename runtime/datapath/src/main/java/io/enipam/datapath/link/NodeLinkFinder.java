package io.enipam.datapath.link;

import io.enipam.datapath.iproute.Links;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Links of the node, found by what is known of them: names and indexes change with a reboot or a detach. */
public final class NodeLinkFinder {
    /** Terway's, and the VPC's. */
    private static final int USUAL_MTU = 1500;

    private NodeLinkFinder() {}

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
}

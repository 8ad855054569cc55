package io.enipam.datapath.pair;

import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.link.Node;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.engine.model.Connection;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Gateways;
import io.enipam.engine.model.IpamException;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What goes into records of several kinds. */
public final class Drafts {
    /** Terway's, and the VPC's. */
    private static final int USUAL_MTU = 1500;

    private Drafts() {}

    /**
     * The addresses of a pod.
     *
     * @param gateways whether the pod's packets need their subnets' gateways
     * @throws IpamException if the resource does not name one that is needed
     */
    public static List<AttachmentRecord.PodAddress> addresses(Connection connection, boolean gateways) {
        Resource resource = connection.lease().resource();
        List<AttachmentRecord.PodAddress> addresses = new ArrayList<>();
        resource.addresses().forEach(address -> {
            Optional<String> gateway = Gateways.of(resource, address.family());
            if (gateways && gateway.isEmpty()) {
                throw new IpamException(
                        ErrorCode.DATAPATH_FAILED,
                        resource.id() + " does not say through which gateway " + address + " leaves its subnet",
                        "the resource's factory has to give the attribute "
                                + (address.family() == Family.IPV4 ? Resource.GATEWAY : Gateways.IPV6));
            }
            addresses.add(new AttachmentRecord.PodAddress(address.host(), address.prefixLength(), gateway.orElse("")));
        });
        return addresses;
    }

    /** The MTU of the link that has the node's own address. */
    public static int nodeMtu(Node node) {
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

    /** Whether a CIDR is of the family of an address that the pod has. */
    public static boolean ofFamily(String cidr, Family family) {
        return (cidr.indexOf(':') >= 0) == (family == Family.IPV6);
    }
}

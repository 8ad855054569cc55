package io.enipam.datapath.exclusive;

import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.link.NodeLinkFinder;
import io.enipam.datapath.link.AttachmentRecordBuilder;
import io.enipam.datapath.link.ConnectionValidator;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.SandboxLinkNames;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** How a pod with an ENI of its own will be connected, before anything is done. */
final class ExclusiveDesign {
    /** What the kernel calls a NIC that comes back from a namespace that ended, if its name is taken. */
    private static final String COME_BACK = "dev\\d+";

    private ExclusiveDesign() {}

    static AttachmentRecord of(DatapathRequest connection, LinkContext node) {
        ConnectionValidator.check(connection);
        if (connection.lease().owner().ifName().equals(ExclusiveKind.SIDE)) {
            throw new IpamException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the interface name " + ExclusiveKind.SIDE + " cannot be used: with an ENI of its own a pod has its"
                            + " link to the node there",
                    "set CNI_IFNAME to another name; eth0 is the usual one");
        }
        String mac = NodeLinkFinder.eniMac(connection);
        Nic nic = nic(mac, connection.link().netns(), node);
        SandboxLinkNames name = new SandboxLinkNames(connection.lease().owner());
        List<String> nodeItself = Stream.of(Family.values())
                .flatMap(family -> node.side().address(family).map(own -> new Address(own, family.bits())).stream())
                .map(Address::toString)
                .toList();
        return AttachmentRecordBuilder.of(ExclusiveKind.NAME, connection)
                .hostLink(name.link(connection.link().vethPrefix()), name.mac(0))
                .podLink(mac, connection.link().mtu().orElse(nic.mtu()))
                .addresses(AttachmentRecordBuilder.routedAddresses(connection.lease().resource()))
                .eni(mac, 0)
                .throughNode(ConnectionValidator.throughNode(connection, node, nodeItself))
                .more(nic.more())
                .build();
    }

    /** Where it is by its hardware address, in this namespace or, after half an ADD, in the pod's. */
    private static Nic nic(String mac, String netns, LinkContext node) {
        Optional<Links.Link> here = node.links().byMac(mac);
        if (here.isEmpty()) {
            PodLink there = PodLink.find(node.runner(), netns, mac)
                    .orElseThrow(() -> new IpamException(
                            ErrorCode.DATAPATH_FAILED,
                            "no link of this node or of the pod has the hardware address " + mac + " of the pod's ENI",
                            "see 'ip link' and 'enipam eni list': the ENI is detached, the node has not seen it yet, or"
                                    + " another pod's namespace still has it"));
            return Nic.parse(there.alias()).orElse(new Nic("", there.mtu()));
        }
        for (Family family : Family.values()) {
            Optional<InetAddress> own = node.side().address(family);
            if (own.isPresent() && NodeLinkFinder.has(here.get(), own.get())) {
                throw new IpamException(
                        ErrorCode.DATAPATH_FAILED,
                        here.get().name() + " with the hardware address " + mac + " has the node's own address "
                                + own.get().getHostAddress() + " and is given to no pod",
                        "the ENI is the node's primary one, or the node's default route leads through it: see 'ip route'");
            }
        }
        Nic nic = Nic.of(here.get());
        return nic.name().matches(COME_BACK)
                ? PodLink.find(node.runner(), "", mac)
                        .flatMap(link -> Nic.parse(link.alias()))
                        .orElse(nic)
                : nic;
    }
}

package io.enipam.datapath.link;

import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.iproute.Runner;
import io.enipam.datapath.iproute.Sysctls;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.sdk.Family;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What kinds of links work with. Thread-safe.
 *
 * @param netns the file of the node's own network namespace, which is no pod's
 */
public record LinkContext(
        NodeNetwork side, Runner runner, Links links, Sysctls sysctls, RouteTables tables, Path netns) {
    /** The node's own addresses that are known, IPv4 first. */
    List<InetAddress> ownAddresses() {
        return Stream.of(Family.values())
                .flatMap(family -> side.address(family).stream())
                .toList();
    }

    /** Sets the sysctls of a node that forwards what is for a pod and what comes from it. */
    void forward(AttachmentRecord record) {
        NodeLinks.forwarding(record).forEach(sysctls::set);
    }

    /** What the datapath has to know of the node. Thread-safe, instant: no I/O. */
    public interface NodeNetwork {
        /** The node's own address in the VPC; empty if it is not known (yet), or has none of the family. */
        Optional<InetAddress> address(Family family);

        /** The CIDRs of the cluster's services, one for each family at most; empty if they are not known. */
        List<String> serviceCidrs();
    }
}

package io.enipam.datapath;

import io.enipam.sdk.Family;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/** What the datapath has to know of the node. Thread-safe, instant: no I/O. */
public interface NodeNetwork {
    /** The node's own address in the VPC; empty if it is not known (yet), or has none of the family. */
    Optional<InetAddress> address(Family family);

    /** The CIDRs of the cluster's services, one for each family at most; empty if nobody says. */
    List<String> serviceCidrs();
}

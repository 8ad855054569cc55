package io.enipam.daemon.warmup;

import io.enipam.datapath.link.LinkContext.NodeNetwork;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/** A node in the networks of RFC 5737, which no machine is in. */
final class DocumentedNetwork implements NodeNetwork {
    @Override
    public Optional<InetAddress> address(Family family) {
        return family == Family.IPV4 ? Optional.of(Address.literal("192.0.2.1")) : Optional.empty();
    }

    @Override
    public List<String> serviceCidrs() {
        return List.of("198.51.100.0/24");
    }
}

package io.enipam.datapath.link;

import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.sdk.Address;
import java.net.InetAddress;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The node's routes to its pods: one for each address, to a link, in the main table. */
public final class PodRoutes {
    private PodRoutes() {}

    /** Those to a link. */
    public static Stream<NetnsSnapshot.Route> to(String link, NetnsSnapshot node) {
        return node.routes().stream()
                .filter(route -> route.link().equals(link))
                .filter(route -> route.table().equals("main") && route.type().equals("unicast"))
                .filter(route -> route.gateway().isEmpty())
                .filter(route -> route.destination().indexOf('/') < 0)
                .filter(route -> !route.destination().equals("default"));
    }

    /** The addresses that are led to a link. */
    public static Set<InetAddress> reached(String link, NetnsSnapshot node) {
        return to(link, node).map(route -> Address.literal(route.destination())).collect(Collectors.toSet());
    }

    /** Those that are led to a sandbox's own link; empty if it is not there. */
    public static Optional<Set<InetAddress>> reached(AttachmentRecord record, NetnsSnapshot node) {
        return node.link(record.hostLink()).map(link -> reached(link.name(), node));
    }
}

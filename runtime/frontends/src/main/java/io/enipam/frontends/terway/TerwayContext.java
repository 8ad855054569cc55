package io.enipam.frontends.terway;

import io.enipam.config.DaemonConfig;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.node.kernel.NodeView;
import io.enipam.node.pods.NodePods;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.model.Lease;
import io.enipam.engine.port.EventSink;
import io.enipam.kubernetes.cidr.AddressFileStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/**
 * What terway's contract is served from.
 *
 * @param config in force
 * @param engine lends what is of the pool
 * @param pods says what a pod wishes whose address the plugin takes itself
 * @param kernel remembers whom callers connect
 * @param node finds ENIs' links and the node's own address
 * @param services the CIDRs of the cluster's services that can be used, one for each family at most
 * @param hostLocal for addresses that the plugin takes itself
 * @param events hears what people should know
 * @param threads may be blocked for moments
 */
public record TerwayContext(
        Supplier<DaemonConfig> config,
        IpamEngine engine,
        NodePods pods,
        NodeDatapath kernel,
        NodeView node,
        Supplier<List<String>> services,
        HostLocal hostLocal,
        EventSink events,
        ScheduledExecutorService threads) {
    /**
     * What is known of addresses that the plugin takes of the node's CIDR by host-local.
     *
     * @param cidr of the node, as the cluster said it last; empty if it never did
     * @param addresses files of its addresses
     * @param sandboxes directory of the sandboxes that were answered with the CIDR; made when there is one
     */
    public record HostLocal(Supplier<Optional<String>> cidr, AddressFileStore addresses, Path sandboxes) {}

    /** What a container has in the daemon's network, on whichever interface: the contract's requests after the first name none. */
    List<Lease> leasesOf(String container) {
        String network = config.get().network();
        return engine.leases().stream()
                .filter(lease -> lease.owner().containerId().equals(container))
                .filter(lease -> lease.owner().network().equals(network))
                .toList();
    }

    /** The CIDR of IPv4 services: the contract has no other family. */
    Optional<String> serviceCidr() {
        return services.get().stream().filter(cidr -> !cidr.contains(":")).findFirst();
    }
}

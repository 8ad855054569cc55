package io.enipam.frontends.terway;

import io.enipam.config.DaemonConfig;
import io.enipam.config.Schema;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.model.Lease;
import io.enipam.engine.port.EventSink;
import io.enipam.kubernetes.cidr.AddressFileStore;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.node.kernel.NodeView;
import io.enipam.node.pods.NodePods;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/**
 * @param pods says what a pod asks for whose address the plugin takes itself
 * @param kernel remembers the sandboxes that callers connect
 * @param node finds ENIs' links and the node's own address
 * @param network the CIDRs of the cluster, and the files of host-local
 * @param events gets what operators should know
 * @param threads may be blocked for moments
 */
public record TerwayContext(
        Supplier<DaemonConfig> config,
        IpamEngine engine,
        NodePods pods,
        NodeDatapath kernel,
        NodeView node,
        ClusterNetwork network,
        EventSink events,
        ScheduledExecutorService threads) {
    /**
     * The CIDRs of the cluster, and the files of host-local, from which the plugin takes addresses of the node's CIDR itself.
     *
     * @param services the CIDRs of the cluster's services that can be used, one for each family at most
     * @param nodeCidr the latest that the cluster reported; empty if it never did
     * @param addresses files of host-local's addresses
     * @param sandboxes directory of the sandboxes that got the CIDR as their answer; made when there is one
     */
    public record ClusterNetwork(
            Supplier<List<String>> services,
            Supplier<Optional<String>> nodeCidr,
            AddressFileStore addresses,
            Path sandboxes) {}

    /** What a container has in the daemon's network, on whichever interface: the contract's requests after the first name none. */
    List<Lease> leasesOf(String container) {
        String network = config.get().get(Schema.NETWORK);
        return engine.leases().stream()
                .filter(lease -> lease.owner().containerId().equals(container))
                .filter(lease -> lease.owner().network().equals(network))
                .toList();
    }

    /** The CIDR of IPv4 services: the contract has no other family. */
    Optional<String> serviceCidr() {
        return network.services().get().stream()
                .filter(cidr -> !cidr.contains(":"))
                .findFirst();
    }
}

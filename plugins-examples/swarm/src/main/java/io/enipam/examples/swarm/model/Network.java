package io.enipam.examples.swarm.model;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A network.
 *
 * @param id unique among networks
 * @param ipam what is allocated: each subnet with its gateway; without subnets of a node-local network
 * @param driver the driver that serves it, with its state; without a name as long as the network is not allocated
 * @param pendingDelete to be deleted when no service uses it any more
 */
public record Network(String id, Spec spec, Ipam ipam, Driver driver, boolean pendingDelete) {
    /** The driver of networks that name none. */
    public static final String OVERLAY = "overlay";

    /** Drivers whose networks have no addresses of the swarm's: those are each node's business. */
    public static final Set<String> NODE_LOCAL = Set.of("bridge", "host", "macvlan", "ipvlan");

    private static final String INTERNAL = "com.docker.swarm.internal";

    /**
     * What a user wants.
     *
     * @param driver without a name for the default one
     * @param ingress whether it is the network over which published ports are reached
     * @param attachable whether containers that are no tasks may be attached
     */
    public record Spec(
            String name, Map<String, String> labels, Driver driver, Ipam ipam, boolean ingress, boolean attachable) {
        public Spec {
            labels = Map.copyOf(labels);
        }
    }

    /** A driver and its options, or its state. */
    public record Driver(String name, Map<String, String> options) {
        public static final Driver NONE = new Driver("", Map.of());

        public Driver {
            options = Collections.unmodifiableMap(new TreeMap<>(options));
        }
    }

    /** @param driver without a name for the default one */
    public record Ipam(Driver driver, List<Subnet> subnets) {
        public static final Ipam NONE = new Ipam(Driver.NONE, List.of());

        public Ipam {
            subnets = List.copyOf(subnets);
        }
    }

    /**
     * A subnet.
     *
     * @param subnet as {@code ADDRESS/LENGTH}; empty for any
     * @param range of it from which addresses are taken; empty for all
     * @param gateway empty for any
     */
    public record Subnet(String subnet, String range, String gateway) {}

    /** A network of which nothing is allocated. */
    public static Network of(String id, Spec spec) {
        return new Network(id, spec, Ipam.NONE, Driver.NONE, false);
    }

    /** The network of the routing mesh. */
    public boolean isIngress() {
        return spec.ingress()
                || (spec.labels().containsKey(INTERNAL) && spec.name().equals("ingress"));
    }

    /** Whether it is allocated, with addresses of the swarm's. */
    public boolean isOverlay() {
        return driver.name().equals(OVERLAY);
    }

    public Network with(Ipam allocated, Driver state) {
        return new Network(id, spec, allocated, state, pendingDelete);
    }

    public Network deleted() {
        return new Network(id, spec, ipam, driver, true);
    }
}

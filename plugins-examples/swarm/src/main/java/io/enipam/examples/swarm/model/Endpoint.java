package io.enipam.examples.swarm.model;

import java.util.List;
import java.util.Optional;

/**
 * How a service is reached.
 *
 * @param spec as it was when this was allocated
 */
public record Endpoint(Spec spec, List<Port> ports, List<VirtualIp> virtualIps) {
    /** Of a service without one. */
    public static final Endpoint NONE = new Endpoint(Spec.NONE, List.of(), List.of());

    /** How names of a service resolve. */
    public enum Mode {
        /** The user says nothing: as VIP, and what was allocated stays. */
        UNSET,
        VIP,
        DNSRR
    }

    /** What a user wants. */
    public record Spec(Mode mode, List<Port> ports) {
        public static final Spec NONE = new Spec(Mode.UNSET, List.of());

        public Spec {
            ports = List.copyOf(ports);
        }

        /** Whether the user says anything. */
        public boolean present() {
            return mode != Mode.UNSET;
        }

        /** Whether the routing mesh has to reach the service. */
        public boolean needsIngress() {
            return ports.stream().anyMatch(port -> port.mode() == Port.Mode.INGRESS);
        }
    }

    /** @param address as {@code ADDRESS/LENGTH}; empty if there is none yet, or the network is node-local */
    public record VirtualIp(String network, String address) {}

    public Endpoint {
        ports = List.copyOf(ports);
        virtualIps = List.copyOf(virtualIps);
    }

    public boolean empty() {
        return equals(NONE);
    }

    public Endpoint with(List<Port> published) {
        return new Endpoint(spec, published, virtualIps);
    }

    public Endpoint withVirtualIps(List<VirtualIp> allocated) {
        return new Endpoint(spec, ports, allocated);
    }

    public Endpoint of(Spec wanted) {
        return new Endpoint(wanted, ports, virtualIps);
    }

    public Optional<VirtualIp> on(String network) {
        return virtualIps.stream().filter(vip -> vip.network().equals(network)).findFirst();
    }
}

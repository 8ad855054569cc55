package io.enipam.engine.model;

import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The link that the caller of an ADD asks for, without the pod.
 *
 * @param netns path of the pod's network namespace; empty text exactly if the connector is {@link Connector#NOBODY}, or
 *     where the {@link Connector#CALLER} does not give it
 * @param mtu in bytes, 68 to 65,535; empty for that of the ENI
 * @param vethPrefix how the names of links on the node's side begin, 1 to 4 characters; terway's is {@code cali}
 * @param ingress how fast traffic to the pod may be, in bytes a second, above zero; used where the pod's manifest says
 *     nothing
 * @param egress the same of traffic from it
 * @param hostStackCidrs what the pod reaches through the node and not through the ENI, beside the services
 */
public record LinkRequest(
        Connector connector,
        String netns,
        OptionalInt mtu,
        String vethPrefix,
        LinkType type,
        OptionalLong ingress,
        OptionalLong egress,
        List<String> hostStackCidrs) {
    /** Terway's. */
    public static final String VETH_PREFIX = "cali";

    public LinkRequest {
        hostStackCidrs = List.copyOf(hostStackCidrs);
    }

    public static LinkRequest simulated() {
        return of(Connector.NOBODY, "");
    }

    /** A link of the usual kind. */
    public static LinkRequest into(String netns) {
        return of(Connector.DAEMON, netns);
    }

    public static LinkRequest byCaller(String netns) {
        return of(Connector.CALLER, netns);
    }

    private static LinkRequest of(Connector connector, String netns) {
        return new LinkRequest(
                connector,
                netns,
                OptionalInt.empty(),
                VETH_PREFIX,
                LinkType.VETH,
                OptionalLong.empty(),
                OptionalLong.empty(),
                List.of());
    }

    public enum Connector {
        /** No connector: the pod is simulated and has no network namespace. */
        NOBODY,
        DAEMON,
        /** The caller connects the pod, as terway's CNI plugin does; the daemon records that it was done. */
        CALLER
    }

    /** What kind of link a pod gets that shares an ENI with others. */
    public enum LinkType {
        /** A veth pair, and rules that lead what comes from it to the ENI. */
        VETH,
        /** A slave of the ENI itself. */
        IPVLAN
    }
}

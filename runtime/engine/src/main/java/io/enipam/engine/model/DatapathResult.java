package io.enipam.engine.model;

import io.enipam.sdk.Address;
import java.util.List;

/**
 * How a pod is connected, as a CNI result describes it (specification 1.1.0, "ADD Success").
 *
 * @param links the links that were made, the node's side first
 */
public record DatapathResult(List<Link> links, List<PodAddress> addresses, List<Route> routes) {
    /** Of a pod that this daemon has not connected. */
    public static final DatapathResult NONE = new DatapathResult(List.of(), List.of(), List.of());

    public DatapathResult {
        links = List.copyOf(links);
        addresses = List.copyOf(addresses);
        routes = List.copyOf(routes);
    }

    /**
     * @param mac its hardware address, in lower case with colons
     * @param mtu in bytes; 0 where it is not known
     * @param sandbox path of the network namespace it is in; empty text for the node's
     */
    public record Link(String name, String mac, int mtu, String sandbox) {}

    /**
     * @param address with the length of the prefix that is on the link
     * @param gateway an address literal; empty text for none
     * @param link index in {@link DatapathResult#links()}
     */
    public record PodAddress(Address address, String gateway, int link) {}

    /**
     * @param destination a CIDR
     * @param gateway an address literal; empty text for none
     */
    public record Route(String destination, String gateway) {}
}

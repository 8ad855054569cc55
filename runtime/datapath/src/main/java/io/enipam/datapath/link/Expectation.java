package io.enipam.datapath.link;

import io.enipam.datapath.iproute.NetnsSnapshot.Neighbour;
import io.enipam.datapath.iproute.NetnsSnapshot.OnLink;
import io.enipam.datapath.iproute.NetnsSnapshot.Rule;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How the kernel looks when one pod is well connected. What is not listed is not checked: other plugins of a chain may
 * have changed it. Sysctls are named by their path below {@code /proc/sys}.
 */
public record Expectation(Side node, Side pod, List<Rule> rules, Map<String, String> sysctls) {
    /**
     * One side: links that are up, permanent neighbours, routes of any table, and the rate of the token bucket on the
     * first link in bytes a second, if it has one.
     */
    public record Side(
            List<Link> links,
            List<OnLink> addresses,
            List<Neighbour> neighbours,
            List<Route> routes,
            Optional<Long> rate) {}

    /** A link; an empty {@code mac} is any. If {@code replaceable}, it can be made again while the pod runs. */
    public record Link(String name, String mac, boolean replaceable) {
        /** One that goes only with the pod. */
        public Link(String name, String mac) {
            this(name, mac, false);
        }
    }

    /**
     * A route to {@code default}, an address alone, or a CIDR; {@code gateway} and {@code link} are empty text for
     * none.
     */
    public record Route(String table, String type, String destination, String gateway, String link) {
        public Route {
            // as the kernel's tools show a network of one address
            destination = destination.replaceFirst(destination.indexOf(':') < 0 ? "/32$" : "/128$", "");
        }

        public static Route main(String destination, String gateway, String link) {
            return new Route("main", "unicast", destination, gateway, link);
        }
    }
}

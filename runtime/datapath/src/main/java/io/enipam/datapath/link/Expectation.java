package io.enipam.datapath.link;

import io.enipam.datapath.iproute.NetnsSnapshot.Neighbour;
import io.enipam.datapath.iproute.NetnsSnapshot.OnLink;
import io.enipam.datapath.iproute.NetnsSnapshot.Rule;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How the kernel looks when one pod is well connected. What is not listed is not checked: other plugins of a chain may have
 * changed it.
 *
 * @param node on the node's side
 * @param pod in the pod's namespace
 * @param rules of the node
 * @param sysctls of the node: path below {@code /proc/sys} to value
 */
public record Expectation(Side node, Side pod, List<Rule> rules, Map<String, String> sysctls) {
    /**
     * One side.
     *
     * @param links that are up
     * @param addresses on them
     * @param neighbours permanent ones
     * @param routes of any table
     * @param rate of the token bucket on the first link in bytes a second; empty for none
     */
    public record Side(
            List<Link> links,
            List<OnLink> addresses,
            List<Neighbour> neighbours,
            List<Route> routes,
            Optional<Long> rate) {}

    /**
     * A link.
     *
     * @param mac empty text for any
     * @param replaceable whether it can be made again while the pod runs, if it is missing
     */
    public record Link(String name, String mac, boolean replaceable) {
        /** One that goes only with the pod. */
        public Link(String name, String mac) {
            this(name, mac, false);
        }
    }

    /**
     * A route.
     *
     * @param table {@code main} or a number
     * @param type {@code unicast}, {@code throw}...
     * @param destination {@code default}, an address alone, or a CIDR
     * @param gateway empty text for none
     * @param link empty text for none
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

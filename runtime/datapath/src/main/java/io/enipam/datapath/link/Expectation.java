package io.enipam.datapath.link;

import io.enipam.datapath.iproute.NetnsSnapshot;
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
    public Expectation {
        rules = List.copyOf(rules);
        sysctls = Map.copyOf(sysctls);
    }

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
            List<NetnsSnapshot.OnLink> addresses,
            List<Neighbour> neighbours,
            List<Route> routes,
            Optional<Long> rate) {
        /** Nothing that is looked at. */
        public static final Side NOTHING = new Side(List.of(), List.of(), List.of(), List.of(), Optional.empty());

        public Side {
            links = List.copyOf(links);
            addresses = List.copyOf(addresses);
            neighbours = List.copyOf(neighbours);
            routes = List.copyOf(routes);
        }
    }

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

    /** A neighbour: an address literal and where it is. */
    public record Neighbour(String link, String ip, String mac) {}

    /**
     * A route.
     *
     * @param table {@code main} or a number
     * @param type {@code unicast}, {@code throw}...
     * @param destination {@code default}, an address alone, or a CIDR
     * @param gateway empty text for none
     * @param link empty text for none
     */
    public record Route(String table, String type, String destination, String gateway, String link) {}

    /**
     * A rule.
     *
     * @param priority its priority
     * @param from an address alone, or {@code all}
     * @param to an address alone, or empty text
     * @param link where it comes in; empty text for anywhere
     * @param table {@code main} or a number
     */
    public record Rule(boolean ipv6, int priority, String from, String to, String link, String table) {
        /** The priority of rules that lead what is for a pod to the main table, where its link is; terway's. */
        public static final int TO_POD = 512;
        /** The priority of rules that lead what comes from a pod to its ENI's table; terway's. */
        public static final int FROM_POD = 2048;

        /** Whether a rule of the kernel is this one. */
        public boolean matches(NetnsSnapshot.Rule there) {
            return ipv6 == there.ipv6()
                    && priority == there.priority()
                    && from.equals(there.from())
                    && to.equals(there.to())
                    && link.equals(there.link())
                    && table.equals(there.table());
        }

        /** As {@code ip rule} shows it. */
        public String text() {
            return NetnsSnapshot.Rule.text(priority, from, to, link, table);
        }
    }
}

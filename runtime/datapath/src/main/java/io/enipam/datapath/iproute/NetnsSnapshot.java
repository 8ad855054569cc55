package io.enipam.datapath.iproute;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.enipam.datapath.iproute.Runner.CommandFailedException;
import io.enipam.datapath.netlink.Rtnetlink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * One network namespace as it is: links, addresses, neighbours, the routes of all tables, the rules and the queueing disciplines, of
 * both families, each whole.
 */
public record NetnsSnapshot(
        List<Link> links,
        List<OnLink> addresses,
        List<Neighbour> neighbours,
        List<Route> routes,
        List<Rule> rules,
        List<Qdisc> qdiscs) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** A link; {@code alias} is empty text for none. */
    public record Link(String name, int index, String mac, int mtu, String alias, boolean up) {}

    /** An address: {@code 10.0.0.1/32}. */
    public record OnLink(String link, String address) {}

    /** A neighbour; {@code mac} is empty text where it is not known. */
    public record Neighbour(String link, String ip, String mac, boolean permanent) {}

    /** A route; {@code gateway}, {@code link} and {@code protocol} are empty text for none. */
    public record Route(
            boolean ipv6,
            String table,
            String type,
            String destination,
            String gateway,
            String link,
            String protocol) {}

    /** A rule; {@code from} is {@code all} or an address or CIDR; {@code to} and {@code link} may be empty text. */
    public record Rule(
            boolean ipv6,
            int priority,
            String from,
            String to,
            String link,
            boolean detached,
            String table,
            String protocol) {
        /** The priority of rules that lead what is for a pod to the main table, where its link is; terway's. */
        public static final int TO_POD = 512;
        /** The priority of rules that lead what comes from a pod to its ENI's table; terway's. */
        public static final int FROM_POD = 2048;

        /** The rule for what is for a pod. */
        public static Rule to(String ip) {
            return new Rule(ip.indexOf(':') >= 0, TO_POD, "all", ip, "", false, "main", Batch.PROTOCOL);
        }

        /** The rule for what comes from a pod. */
        public static Rule from(String ip, String link, long table) {
            return new Rule(ip.indexOf(':') >= 0, FROM_POD, ip, "", link, false, Long.toString(table), Batch.PROTOCOL);
        }

        /** Whether another one does the same, whichever program made it. */
        public boolean matches(Rule other) {
            return equals(new Rule(
                    other.ipv6, other.priority, other.from, other.to, other.link, detached, other.table, protocol));
        }

        /** As {@code ip rule} shows it. */
        public String text() {
            return priority + ": from " + from
                    + (to.isEmpty() ? "" : " to " + to)
                    + (link.isEmpty() ? "" : " iif " + link)
                    + " lookup " + table;
        }

        /** The same for netlink; empty if its table or its mark has a name that only iproute2 knows. */
        Optional<Rtnetlink.Rule> netlink() {
            try {
                return Optional.of(new Rtnetlink.Rule(
                        ipv6,
                        priority,
                        from.equals("all") ? "" : from,
                        to,
                        link,
                        table.equals("main") ? Rtnetlink.MAIN : Long.parseLong(table),
                        Integer.parseInt(protocol)));
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }

        /** What {@code ip rule add} and {@code ip rule del} need to name exactly this one. */
        public String command() {
            return "pref " + priority
                    + (from.equals("all") ? "" : " from " + from)
                    + (to.isEmpty() ? "" : " to " + to)
                    + (link.isEmpty() ? "" : " iif " + link)
                    + " lookup " + table + " protocol " + protocol;
        }
    }

    /** A root queueing discipline; {@code rate} is 0 where it has none, else in bytes a second. */
    public record Qdisc(String link, String kind, long rate) {}

    /**
     * Takes it, in one process; the empty path is the namespace of this process. Throws CommandFailedException if any
     * part cannot be read.
     */
    public static NetnsSnapshot of(Runner runner, String netns) {
        boolean ipv6 = Files.exists(Path.of("/proc/net/if_inet6"));
        List<String> commands = new ArrayList<>(List.of(
                "ip -j link show",
                "ip -j addr show",
                "ip -j neigh show",
                "tc -j qdisc show",
                "ip -4 -j route show table all",
                "ip -4 -j rule show"));
        if (ipv6) {
            commands.addAll(List.of("ip -6 -j route show table all", "ip -6 -j rule show", "ip -6 -j neigh show"));
        }
        List<JsonNode> answers =
                runner.read(netns, commands).stream().map(NetnsSnapshot::json).toList();
        Stream<Neighbour> neighbours = neighbours(answers.get(2));
        Stream<Route> routes = routes(answers.get(4), false);
        Stream<Rule> rules = rules(answers.get(5), false);
        if (ipv6) {
            routes = Stream.concat(routes, routes(answers.get(6), true));
            rules = Stream.concat(rules, rules(answers.get(7), true));
            neighbours = Stream.concat(neighbours, neighbours(answers.get(8)));
        }
        return new NetnsSnapshot(
                links(answers.get(0)),
                addresses(answers.get(1)),
                neighbours.toList(),
                routes.toList(),
                rules.toList(),
                qdiscs(answers.get(3)));
    }

    /**
     * Looks for the link that has a hardware address now, whatever it is called; empty if it is not there, or the
     * namespace is not. The empty path is the namespace of this process.
     */
    public static Optional<Link> link(Runner runner, String netns, String mac) {
        try {
            return links(json(runner.read(netns, List.of("ip -j link show")).get(0))).stream()
                    .filter(link -> link.mac().equalsIgnoreCase(mac))
                    .findFirst();
        } catch (CommandFailedException e) {
            // no namespace, or one that is going away: whatever was in it comes back by itself, or is gone
            return Optional.empty();
        }
    }

    public Optional<Link> link(String name) {
        return links.stream().filter(link -> link.name().equals(name)).findFirst();
    }

    private static JsonNode json(String text) {
        try {
            return text.isBlank() ? JSON.createArrayNode() : JSON.readTree(text);
        } catch (IOException e) {
            throw new CommandFailedException("iproute2 does not speak JSON: " + e.getMessage());
        }
    }

    private static List<Link> links(JsonNode all) {
        return each(
                        all,
                        link -> new Link(
                                text(link, "ifname"),
                                link.path("ifindex").asInt(),
                                text(link, "address"),
                                link.path("mtu").asInt(),
                                text(link, "ifalias"),
                                link.path("flags").toString().contains("\"UP\"")))
                .filter(link -> !link.name().isEmpty())
                .toList();
    }

    private static List<OnLink> addresses(JsonNode all) {
        return each(
                        all,
                        link -> each(
                                link.path("addr_info"),
                                on -> new OnLink(
                                        text(link, "ifname"),
                                        text(on, "local") + "/"
                                                + on.path("prefixlen").asInt())))
                .flatMap(Function.identity())
                .toList();
    }

    private static Stream<Neighbour> neighbours(JsonNode all) {
        return each(
                all,
                one -> new Neighbour(
                        text(one, "dev"),
                        text(one, "dst"),
                        text(one, "lladdr"),
                        one.path("state").toString().contains("PERMANENT")));
    }

    private static Stream<Route> routes(JsonNode all, boolean ipv6) {
        return each(
                all,
                one -> new Route(
                        ipv6,
                        one.path("table").asText("main"),
                        one.path("type").asText("unicast"),
                        text(one, "dst"),
                        text(one, "gateway"),
                        text(one, "dev"),
                        text(one, "protocol")));
    }

    private static Stream<Rule> rules(JsonNode all, boolean ipv6) {
        return each(
                all,
                one -> new Rule(
                        ipv6,
                        one.path("priority").asInt(),
                        text(one, "src") + length(one, "srclen"),
                        text(one, "dst") + length(one, "dstlen"),
                        text(one, "iif"),
                        one.has("iif_detached"),
                        text(one, "table"),
                        text(one, "protocol")));
    }

    private static String length(JsonNode rule, String key) {
        return rule.has(key) ? "/" + rule.path(key).asInt() : "";
    }

    private static List<Qdisc> qdiscs(JsonNode all) {
        return each(all, Function.identity())
                .filter(one -> one.path("root").asBoolean())
                .map(one -> new Qdisc(
                        text(one, "dev"),
                        text(one, "kind"),
                        one.path("options").path("rate").asLong()))
                .toList();
    }

    private static <T> Stream<T> each(JsonNode all, Function<JsonNode, T> read) {
        return StreamSupport.stream(all.spliterator(), false).map(read);
    }

    private static String text(JsonNode node, String key) {
        return node.path(key).asText("");
    }
}

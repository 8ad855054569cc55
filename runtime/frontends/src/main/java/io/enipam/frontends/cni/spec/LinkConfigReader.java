package io.enipam.frontends.cni.spec;

import com.fasterxml.jackson.databind.JsonNode;
import inet.ipaddr.IPAddressString;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.LinkRequest.Connector;
import io.enipam.engine.model.LinkRequest.LinkType;
import io.enipam.sdk.Address;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** What a configuration says of a pod's link: terway's keys of {@code 10-terway.conf}, and the capability {@code bandwidth}. */
final class LinkConfigReader {
    private static final Pattern PREFIX = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{0,3}");
    private static final int MOST_CIDRS = 1_000;

    private LinkConfigReader() {}

    static LinkRequest read(NetConf conf, String netns) {
        NetConfFields.object(conf.known("runtimeConfig"), "runtimeConfig");
        JsonNode bandwidth = conf.known("runtimeConfig").path("bandwidth");
        NetConfFields.object(bandwidth, "runtimeConfig.bandwidth");
        // looked at, and no more: the burst follows from the rate
        bits(bandwidth, "ingressBurst");
        bits(bandwidth, "egressBurst");
        return new LinkRequest(
                Connector.DAEMON,
                netns,
                mtu(conf.known("mtu")),
                prefix(conf.known("veth_prefix")),
                type(conf.known("eniip_virtual_type")),
                bits(bandwidth, "ingressRate"),
                bits(bandwidth, "egressRate"),
                cidrs(conf.known("host_stack_cidrs")));
    }

    /** Of bits, as the conventions of the CNI have it, to whole bytes; zero is no limit. */
    private static OptionalLong bits(JsonNode bandwidth, String key) {
        OptionalLong bits =
                NetConfFields.number(bandwidth.path(key), "runtimeConfig.bandwidth." + key, 0, Long.MAX_VALUE);
        return bits.isEmpty() || bits.getAsLong() == 0
                ? OptionalLong.empty()
                : OptionalLong.of(Math.max(1, bits.getAsLong() / 8));
    }

    private static OptionalInt mtu(JsonNode node) {
        if (node.isIntegralNumber() && node.longValue() == 0) {
            return OptionalInt.empty();
        }
        OptionalLong mtu = NetConfFields.number(node, "mtu", 68, 65_535);
        return mtu.isPresent() ? OptionalInt.of((int) mtu.getAsLong()) : OptionalInt.empty();
    }

    private static String prefix(JsonNode node) {
        String prefix = NetConfFields.text(node, "veth_prefix").orElse("");
        if (prefix.isEmpty()) {
            return LinkRequest.VETH_PREFIX;
        }
        if (!PREFIX.matcher(prefix).matches()) {
            throw NetConfFields.wrong(node, "veth_prefix", "1 to 4 letters, digits, - or _, a letter first");
        }
        return prefix;
    }

    /** In any case, as terway takes it. */
    private static LinkType type(JsonNode node) {
        return switch (NetConfFields.text(node, "eniip_virtual_type").orElse("").toLowerCase(Locale.ROOT)) {
            case "", "veth" -> LinkType.VETH;
            case "ipvlan" -> LinkType.IPVLAN;
            default -> throw NetConfFields.wrong(node, "eniip_virtual_type", "Veth or IPVlan");
        };
    }

    private static List<String> cidrs(JsonNode node) {
        List<JsonNode> nodes = NetConfFields.array(node, "host_stack_cidrs");
        if (nodes.size() > MOST_CIDRS) {
            throw CniException.config(
                    "host_stack_cidrs has " + nodes.size() + " entries, and " + MOST_CIDRS + " are the most");
        }
        List<String> cidrs = new ArrayList<>();
        for (JsonNode entry : nodes) {
            cidrs.add(cidr(entry, "host_stack_cidrs[" + cidrs.size() + "]"));
        }
        return cidrs;
    }

    /** With the bits behind the prefix cleared, as terway does: a route has none. */
    private static String cidr(JsonNode node, String key) {
        String text = NetConfFields.text(node, key).orElse("");
        try {
            Address parsed = Address.parse(text);
            if (text.contains("/")) {
                return new IPAddressString(parsed.toString())
                        .getAddress()
                        .toPrefixBlock()
                        .toCanonicalString();
            }
        } catch (IllegalArgumentException e) {
            // told below, with the key
        }
        throw NetConfFields.wrong(node, key, "a CIDR such as 169.254.20.10/32");
    }
}

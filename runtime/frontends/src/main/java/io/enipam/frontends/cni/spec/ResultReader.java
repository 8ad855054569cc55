package io.enipam.frontends.cni.spec;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.sdk.Address;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Reads a {@code prevResult} of any version. What is no result is a {@link CniException} with code 7 naming key and value. */
final class ResultReader {
    /** What a route may say beside where to (specification 1.1.0). */
    static final List<String> ROUTE_ATTRIBUTES = List.of("mtu", "advmss", "priority", "table", "scope");

    private static final String AT = "prevResult";

    private ResultReader() {}

    /** @param version of the configuration, in which a result is that does not say its own */
    static CniResult read(JsonNode node, SpecVersion version) {
        String own =
                NetConfReader.text(node.path("cniVersion"), AT + ".cniVersion").orElse("");
        SpecVersion shape = own.isEmpty() ? version : SpecVersion.parse(own);
        return shape.hasOneAddressEach() ? old(node) : current(node);
    }

    private static CniResult current(JsonNode node) {
        List<CniResult.Interface> interfaces = new ArrayList<>();
        for (JsonNode each : NetConfReader.array(node.path("interfaces"), AT + ".interfaces")) {
            interfaces.add(link(each, AT + ".interfaces[" + interfaces.size() + "]"));
        }
        List<CniResult.Ip> addresses = new ArrayList<>();
        for (JsonNode each : NetConfReader.array(node.path("ips"), AT + ".ips")) {
            addresses.add(address(each, AT + ".ips[" + addresses.size() + "]", interfaces.size()));
        }
        return new CniResult(
                interfaces, addresses, routes(node.path("routes"), AT + ".routes"), dns(node.path("dns"), AT + ".dns"));
    }

    private static CniResult old(JsonNode node) {
        List<CniResult.Ip> addresses = new ArrayList<>();
        List<CniResult.Route> routes = new ArrayList<>();
        for (String family : List.of("ip4", "ip6")) {
            String key = AT + "." + family;
            NetConfReader.object(node.path(family), key).ifPresent(ip -> {
                addresses.add(new CniResult.Ip(
                        cidr(ip.path("ip"), key + ".ip"),
                        literal(ip.path("gateway"), key + ".gateway"),
                        OptionalInt.empty()));
                routes.addAll(routes(ip.path("routes"), key + ".routes"));
            });
        }
        return new CniResult(List.of(), addresses, routes, dns(node.path("dns"), AT + ".dns"));
    }

    private static CniResult.Interface link(JsonNode node, String key) {
        JsonNode found = required(node, key);
        return new CniResult.Interface(
                text(found, key, "name"),
                text(found, key, "mac"),
                NetConfReader.number(found.path("mtu"), key + ".mtu", 0, 1L << 32)
                        .orElse(0),
                text(found, key, "sandbox"),
                text(found, key, "socketPath"),
                text(found, key, "pciID"));
    }

    private static CniResult.Ip address(JsonNode node, String key, int links) {
        JsonNode found = required(node, key);
        OptionalLong link =
                NetConfReader.number(found.path("interface"), key + ".interface", 0, Math.max(0, links - 1));
        return new CniResult.Ip(
                cidr(found.path("address"), key + ".address"),
                literal(found.path("gateway"), key + ".gateway"),
                link.isPresent() && links > 0 ? OptionalInt.of((int) link.getAsLong()) : OptionalInt.empty());
    }

    private static List<CniResult.Route> routes(JsonNode node, String key) {
        List<CniResult.Route> routes = new ArrayList<>();
        for (JsonNode each : NetConfReader.array(node, key)) {
            String at = key + "[" + routes.size() + "]";
            JsonNode found = required(each, at);
            Map<String, Long> attributes = new LinkedHashMap<>();
            for (String name : ROUTE_ATTRIBUTES) {
                NetConfReader.number(found.path(name), at + "." + name, 0, 1L << 32)
                        .ifPresent(value -> attributes.put(name, value));
            }
            routes.add(new CniResult.Route(
                    cidr(found.path("dst"), at + ".dst"), literal(found.path("gw"), at + ".gw"), attributes));
        }
        return routes;
    }

    static CniResult.Dns dns(JsonNode node, String key) {
        return NetConfReader.object(node, key)
                .map(found -> new CniResult.Dns(
                        NetConfReader.texts(found.path("nameservers"), key + ".nameservers"),
                        text(found, key, "domain"),
                        NetConfReader.texts(found.path("search"), key + ".search"),
                        NetConfReader.texts(found.path("options"), key + ".options")))
                .orElse(CniResult.Dns.NONE);
    }

    private static JsonNode required(JsonNode node, String key) {
        return NetConfReader.object(node, key).orElseThrow(() -> NetConfReader.wrong(node, key, "an object"));
    }

    private static String text(JsonNode node, String key, String name) {
        return NetConfReader.text(node.path(name), key + "." + name).orElse("");
    }

    private static String cidr(JsonNode node, String key) {
        String text = NetConfReader.text(node, key).orElse("");
        try {
            Address.parse(text);
        } catch (IllegalArgumentException e) {
            throw NetConfReader.wrong(node, key, "a CIDR");
        }
        return text;
    }

    private static String literal(JsonNode node, String key) {
        String text = NetConfReader.text(node, key).orElse("");
        try {
            if (!text.isEmpty()) {
                Address.literal(text);
            }
        } catch (IllegalArgumentException e) {
            throw NetConfReader.wrong(node, key, "an address");
        }
        return text;
    }
}

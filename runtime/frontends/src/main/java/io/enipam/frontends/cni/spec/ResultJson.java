package io.enipam.frontends.cni.spec;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.frontends.cni.spec.NetConfReader.Value;
import io.enipam.sdk.Address;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Writes what a plugin prints: results in each version, errors, and the reply to VERSION. Reads a {@code prevResult} of any version: what
 * is no result is a {@link CniException} with code 7 naming key and value. Thread-safe.
 */
public final class ResultJson {
    /** What a route may say beside where to (specification 1.1.0). */
    private static final List<String> ROUTE_ATTRIBUTES = List.of("mtu", "advmss", "priority", "table", "scope");

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final Set<String> RESULT = Set.of("cniVersion", "interfaces", "ips", "ip4", "ip6", "routes", "dns");

    private ResultJson() {}

    /**
     * A result in the words of a version: what came later is left out.
     *
     * @throws CniException code 7 if the version knows no result without an address, and there is none
     */
    public static byte[] result(CniResult result, SpecVersion version) {
        ObjectNode node = JSON.objectNode().put("cniVersion", version.text());
        if (version.hasOneAddressEach()) {
            old(node, result, version);
        } else {
            current(node, result, version);
        }
        node.set("dns", dns(result.dns()));
        return bytes(node);
    }

    public static byte[] error(SpecVersion version, CniException error) {
        ObjectNode node = JSON.objectNode()
                .put("cniVersion", version.text())
                .put("code", error.code())
                .put("msg", String.valueOf(error.getMessage()));
        if (!error.details().isEmpty()) {
            node.put("details", error.details());
        }
        return bytes(node);
    }

    /** The reply to VERSION. */
    public static byte[] versions(SpecVersion version) {
        ObjectNode node = JSON.objectNode().put("cniVersion", version.text());
        ArrayNode supported = node.putArray("supportedVersions");
        SpecVersion.texts().forEach(supported::add);
        return bytes(node);
    }

    private static void current(ObjectNode node, CniResult result, SpecVersion version) {
        if (!result.interfaces().isEmpty()) {
            ArrayNode interfaces = node.putArray("interfaces");
            result.interfaces().forEach(link -> interfaces.add(link(link, version)));
        }
        ArrayNode ips = node.putArray("ips");
        for (CniResult.Ip ip : result.addresses()) {
            ObjectNode each = ips.addObject();
            if (version.namesFamilies()) {
                each.put("version", ip.isIpv4() ? "4" : "6");
            }
            each.put("address", ip.address());
            text(each, "gateway", ip.gateway());
            ip.link().ifPresent(index -> each.put("interface", index));
        }
        if (!result.routes().isEmpty()) {
            routes(node.putArray("routes"), result.routes(), version);
        }
    }

    private static ObjectNode link(CniResult.Interface link, SpecVersion version) {
        ObjectNode node = JSON.objectNode().put("name", link.name());
        text(node, "mac", link.mac());
        if (version.tellsDetails() && link.mtu() > 0) {
            node.put("mtu", link.mtu());
        }
        text(node, "sandbox", link.sandbox());
        if (version.tellsDetails()) {
            text(node, "socketPath", link.socketPath());
            text(node, "pciID", link.pciId());
        }
        return node;
    }

    private static void routes(ArrayNode array, List<CniResult.Route> routes, SpecVersion version) {
        for (CniResult.Route route : routes) {
            ObjectNode node = array.addObject().put("dst", route.destination());
            text(node, "gw", route.gateway());
            if (version.tellsDetails()) {
                ROUTE_ATTRIBUTES.stream()
                        .filter(route.attributes()::containsKey)
                        .forEach(name -> node.put(name, route.attributes().get(name)));
            }
        }
    }

    /** The first address of each family, with the routes of that family. */
    private static void old(ObjectNode node, CniResult result, SpecVersion version) {
        if (result.addresses().isEmpty()) {
            throw CniException.config("cniVersion " + version.text() + " knows no result without an address");
        }
        for (boolean ipv4 : new boolean[] {true, false}) {
            Optional<CniResult.Ip> first = result.addresses().stream()
                    .filter(ip -> ip.isIpv4() == ipv4)
                    .findFirst();
            first.ifPresent(ip -> {
                ObjectNode each = node.putObject(ipv4 ? "ip4" : "ip6").put("ip", ip.address());
                text(each, "gateway", ip.gateway());
                List<CniResult.Route> routes = result.routes().stream()
                        .filter(route -> route.isIpv4() == ipv4)
                        .toList();
                if (!routes.isEmpty()) {
                    routes(each.putArray("routes"), routes, version);
                }
            });
        }
    }

    private static ObjectNode dns(CniResult.Dns dns) {
        ObjectNode node = JSON.objectNode();
        texts(node, "nameservers", dns.nameservers());
        text(node, "domain", dns.domain());
        texts(node, "search", dns.search());
        texts(node, "options", dns.options());
        return node;
    }

    private static void texts(ObjectNode node, String key, List<String> values) {
        if (!values.isEmpty()) {
            values.forEach(node.putArray(key)::add);
        }
    }

    private static void text(ObjectNode node, String key, String value) {
        if (!value.isEmpty()) {
            node.put(key, value);
        }
    }

    private static byte[] bytes(ObjectNode node) {
        try {
            return (MAPPER.writeValueAsString(node) + "\n").getBytes(StandardCharsets.UTF_8);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of text and numbers is always JSON", e);
        }
    }

    /** The result that a text is; empty if it is none. */
    public static Optional<CniResult> read(byte[] text) {
        try {
            ObjectNode result = JSON.objectNode();
            result.setAll(NetConfReader.read(text, RESULT));
            return Optional.of(read(new Value(result, "result"), SpecVersion.LATEST));
        } catch (CniException e) {
            return Optional.empty();
        }
    }

    /** @param version of the configuration, in which a result is that does not say its own */
    static CniResult read(Value result, SpecVersion version) {
        String own = result.at("cniVersion").text();
        SpecVersion shape = own.isEmpty() ? version : SpecVersion.parse(own);
        return shape.hasOneAddressEach() ? old(result) : current(result);
    }

    private static CniResult current(Value result) {
        List<CniResult.Interface> interfaces = result.at("interfaces").elements().stream()
                .map(ResultJson::link)
                .toList();
        List<CniResult.Ip> addresses = result.at("ips").elements().stream()
                .map(ip -> address(ip.requiredObject(), interfaces.size()))
                .toList();
        return new CniResult(interfaces, addresses, routes(result), dns(result.at("dns")));
    }

    private static CniResult old(Value result) {
        List<CniResult.Ip> addresses = new ArrayList<>();
        List<CniResult.Route> routes = new ArrayList<>();
        for (String family : List.of("ip4", "ip6")) {
            result.at(family).object().ifPresent(ip -> {
                addresses.add(new CniResult.Ip(cidr(ip.at("ip")), literal(ip.at("gateway")), OptionalInt.empty()));
                routes.addAll(routes(ip));
            });
        }
        return new CniResult(List.of(), addresses, routes, dns(result.at("dns")));
    }

    private static CniResult.Interface link(Value element) {
        Value link = element.requiredObject();
        return new CniResult.Interface(
                link.at("name").text(),
                link.at("mac").text(),
                link.at("mtu").number(0, 1L << 32).orElse(0),
                link.at("sandbox").text(),
                link.at("socketPath").text(),
                link.at("pciID").text());
    }

    private static CniResult.Ip address(Value ip, int links) {
        OptionalLong link = ip.at("interface").number(0, Math.max(0, links - 1));
        return new CniResult.Ip(
                cidr(ip.at("address")),
                literal(ip.at("gateway")),
                link.isPresent() && links > 0 ? OptionalInt.of((int) link.getAsLong()) : OptionalInt.empty());
    }

    private static List<CniResult.Route> routes(Value owner) {
        return owner.at("routes").elements().stream().map(ResultJson::route).toList();
    }

    private static CniResult.Route route(Value element) {
        Value route = element.requiredObject();
        Map<String, Long> attributes = new LinkedHashMap<>();
        for (String name : ROUTE_ATTRIBUTES) {
            route.at(name).number(0, 1L << 32).ifPresent(value -> attributes.put(name, value));
        }
        return new CniResult.Route(cidr(route.at("dst")), literal(route.at("gw")), attributes);
    }

    static CniResult.Dns dns(Value value) {
        return value.object()
                .map(dns -> new CniResult.Dns(
                        dns.at("nameservers").texts(),
                        dns.at("domain").text(),
                        dns.at("search").texts(),
                        dns.at("options").texts()))
                .orElse(CniResult.Dns.NONE);
    }

    private static String cidr(Value value) {
        return value.text(Address::parse, "a CIDR");
    }

    private static String literal(Value value) {
        return value.text(
                text -> {
                    if (!text.isEmpty()) {
                        Address.literal(text);
                    }
                },
                "an address");
    }
}

package io.enipam.frontends.cni.spec;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Writes what a plugin prints: results in each version, errors, and the reply to VERSION. Thread-safe. */
public final class ResultWriter {
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private ResultWriter() {}

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

    /** An error result. */
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
                ResultReader.ROUTE_ATTRIBUTES.stream()
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
}

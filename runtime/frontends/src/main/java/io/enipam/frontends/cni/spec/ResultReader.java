package io.enipam.frontends.cni.spec;

import io.enipam.frontends.cni.spec.NetConfReader.Value;
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

    private ResultReader() {}

    /** @param version of the configuration, in which a result is that does not say its own */
    static CniResult read(Value result, SpecVersion version) {
        String own = result.at("cniVersion").text();
        SpecVersion shape = own.isEmpty() ? version : SpecVersion.parse(own);
        return shape.hasOneAddressEach() ? old(result) : current(result);
    }

    private static CniResult current(Value result) {
        List<CniResult.Interface> interfaces = result.at("interfaces").elements().stream()
                .map(ResultReader::link)
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
        return owner.at("routes").elements().stream().map(ResultReader::route).toList();
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

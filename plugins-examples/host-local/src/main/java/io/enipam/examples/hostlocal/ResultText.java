package io.enipam.examples.hostlocal;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.enipam.examples.hostlocal.NetConf.RouteText;
import io.enipam.sdk.Family;
import io.enipam.sdk.ranges.Ip;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Results and errors as text, as the Go plugin prints them: indented by four blanks, without a line feed at the end. */
final class ResultText {
    private static final String INDENT = "    ";

    private ResultText() {}

    /** An address of a result. */
    record Given(Ip address, int length, Ip gateway) {
        private String cidr() {
            return address + "/" + length;
        }

        private String version() {
            return address.family() == Family.IPV4 ? "4" : "6";
        }
    }

    static String result(CniVersion version, List<Given> ips, List<RouteText> routes, ResolvConf dns) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("cniVersion", version.text());
        if (version.hasManyAddresses()) {
            result.put("ips", ips.stream().map(ip -> address(version, ip)).toList());
            if (!routes.isEmpty()) {
                result.put("routes", routes.stream().map(ResultText::route).toList());
            }
        } else {
            for (Family family : Family.values()) {
                ips.stream()
                        .filter(ip -> ip.address().family() == family)
                        .findFirst()
                        .ifPresent(ip -> result.put(family == Family.IPV4 ? "ip4" : "ip6", old(ip, routes)));
            }
        }
        Map<String, Object> told = new LinkedHashMap<>();
        putIfAny(told, "nameservers", dns.nameservers());
        Optional.of(dns.domain()).filter(domain -> !domain.isEmpty()).ifPresent(domain -> told.put("domain", domain));
        putIfAny(told, "search", dns.search());
        putIfAny(told, "options", dns.options());
        result.put("dns", told);
        return text(result, "");
    }

    private static void putIfAny(Map<String, Object> into, String name, List<String> values) {
        if (!values.isEmpty()) {
            into.put(name, values);
        }
    }

    private static Map<String, Object> address(CniVersion version, Given ip) {
        Map<String, Object> address = new LinkedHashMap<>();
        if (version.compareTo(CniVersion.V1_0_0) < 0) {
            address.put("version", ip.version());
        }
        address.put("address", ip.cidr());
        address.put("gateway", ip.gateway().toString());
        return address;
    }

    private static Map<String, Object> old(Given ip, List<RouteText> routes) {
        Map<String, Object> address = new LinkedHashMap<>();
        address.put("ip", ip.cidr());
        address.put("gateway", ip.gateway().toString());
        List<Map<String, Object>> ofFamily = routes.stream()
                .filter(route ->
                        route.destination().address().family() == ip.address().family())
                .map(ResultText::route)
                .toList();
        if (!ofFamily.isEmpty()) {
            address.put("routes", ofFamily);
        }
        return address;
    }

    private static Map<String, Object> route(RouteText route) {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("dst", route.destination().toString());
        route.gateway().ifPresent(gateway -> told.put("gw", gateway.toString()));
        return told;
    }

    static String error(Refused refused) {
        Map<String, Object> error = new LinkedHashMap<>();
        error.put("code", refused.code());
        error.put("msg", refused.text());
        if (!refused.details().isEmpty()) {
            error.put("details", refused.details());
        }
        return text(error, "");
    }

    private static String text(Object value, String indent) {
        String inner = indent + INDENT;
        List<String> parts = new ArrayList<>();
        if (value instanceof Map<?, ?> map) {
            map.forEach((name, member) -> parts.add(inner + quoted(String.valueOf(name)) + ": " + text(member, inner)));
            return parts.isEmpty() ? "{}" : "{\n" + String.join(",\n", parts) + "\n" + indent + "}";
        }
        if (value instanceof List<?> list) {
            list.forEach(element -> parts.add(inner + text(element, inner)));
            return "[\n" + String.join(",\n", parts) + "\n" + indent + "]";
        }
        return value instanceof Integer number ? number.toString() : quoted(String.valueOf(value));
    }

    /** Go escapes what a browser would take for HTML. */
    private static String quoted(String text) {
        String quoted = String.valueOf(JsonStringEncoder.getInstance().quoteAsString(text));
        return "\"" + quoted.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e") + "\"";
    }
}

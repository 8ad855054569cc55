package io.enipam.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import io.enipam.emulator.cloud.Latency;
import io.enipam.sdk.DurationText;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The types the settings table is made of. */
final class ValueTypes {
    private ValueTypes() {}

    static ValueType<Integer> integer(int min, int max) {
        return new ValueType<>(
                "a whole number, " + min + " to " + max,
                node -> {
                    require(node.isIntegralNumber() && node.canConvertToInt());
                    int value = node.intValue();
                    require(value >= min && value <= max);
                    return value;
                },
                String::valueOf);
    }

    static ValueType<Long> seed() {
        return new ValueType<>(
                "a whole number of 64 bits",
                node -> {
                    require(node.isIntegralNumber() && node.canConvertToLong());
                    return node.longValue();
                },
                String::valueOf);
    }

    static ValueType<Double> decimal(double min, double max) {
        return new ValueType<>(
                "a number, " + min + " to " + max,
                node -> {
                    require(node.isNumber());
                    double value = node.doubleValue();
                    require(value >= min && value <= max);
                    return value;
                },
                String::valueOf);
    }

    static ValueType<Boolean> flag() {
        return new ValueType<>(
                "true or false",
                node -> {
                    require(node.isBoolean());
                    return node.booleanValue();
                },
                String::valueOf);
    }

    static ValueType<Duration> duration(Duration min, Duration max) {
        return new ValueType<>(
                "a duration such as 30s, 5m or 1h30m, " + DurationText.show(min) + " to " + DurationText.show(max),
                node -> {
                    require(node.isTextual() || (node.isIntegralNumber() && node.intValue() == 0));
                    Duration value = DurationText.parse(node.asText());
                    require(value.compareTo(min) >= 0 && value.compareTo(max) <= 0);
                    return value;
                },
                DurationText::show);
    }

    static ValueType<String> text(String allowed, String pattern) {
        Pattern compiled = Pattern.compile(pattern);
        return new ValueType<>(
                allowed,
                node -> {
                    require(node.isTextual()
                            && compiled.matcher(node.textValue()).matches());
                    return node.textValue();
                },
                Function.identity());
    }

    /** The same where {@code off} is one of the words. */
    static ValueType<String> textOrOff(String allowed, String pattern) {
        ValueType<String> text = text(allowed, pattern);
        return new ValueType<>(allowed, node -> text.read(word(node)), Function.identity());
    }

    /** {@code on} and {@code off} without quotes are truth values in YAML 1.1. */
    private static JsonNode word(JsonNode node) {
        return node.isBoolean() ? TextNode.valueOf(node.booleanValue() ? "on" : "off") : node;
    }

    /** How long an emulated cloud takes for things; the emulator knows what may stand there. */
    static ValueType<String> latency() {
        return new ValueType<>(
                "none, real, or WHAT=TIME[-TIME] separated by commas such as *=20ms,attaching=1s-2s",
                node -> {
                    require(node.isTextual());
                    return Latency.parse(node.textValue()).toString();
                },
                Function.identity());
    }

    static ValueType<String> choice(String... options) {
        List<String> known = Arrays.asList(options);
        return new ValueType<>(
                "one of "
                        + known.stream()
                                .map(option -> option.isEmpty() ? "empty text" : option)
                                .collect(Collectors.joining(", ")),
                node -> {
                    String value = word(node).asText();
                    require(word(node).isTextual() && known.contains(value));
                    return value;
                },
                Function.identity());
    }

    static ValueType<Optional<URI>> httpAddress() {
        return new ValueType<>(
                "an http or https URL such as http://127.0.0.1:8080",
                node -> {
                    require(node.isTextual());
                    if (node.textValue().isEmpty()) {
                        return Optional.empty();
                    }
                    URI uri = URI.create(node.textValue());
                    require(uri.getHost() != null
                            && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme())));
                    return Optional.of(uri);
                },
                uri -> uri.map(URI::toString).orElse(""));
    }

    static ValueType<Optional<ListenAddress>> listenAddress() {
        return new ValueType<>(
                "host:port such as 127.0.0.1:9498, [::1]:9498 or :9498 for every address, or empty text for none",
                node -> {
                    require(node.isTextual());
                    Optional<ListenAddress> address = ListenAddress.parse(node.textValue());
                    require(address.isPresent() || node.textValue().isEmpty());
                    return address;
                },
                address -> address.map(ListenAddress::toString).orElse(""));
    }

    static ValueType<List<String>> names(int most) {
        return new ValueType<>(
                "a list of at most " + most + " names", node -> nameList(node, most), list -> String.join(", ", list));
    }

    static ValueType<Map<String, List<String>>> namesByZone() {
        return new ValueType<>(
                "a map of zone to a list of vSwitch ids",
                node -> map(node, child -> nameList(child, 100)),
                ValueTypes::showMap);
    }

    static ValueType<Map<String, String>> textByName(int most) {
        return new ValueType<>(
                "a map of at most " + most + " names to text",
                node -> {
                    require(node.size() <= most);
                    return map(node, child -> {
                        require(child.isTextual());
                        return child.textValue();
                    });
                },
                ValueTypes::showMap);
    }

    static ValueType<Map<String, Integer>> numberByName(int max) {
        ValueType<Integer> number = integer(1, max);
        return new ValueType<>(
                "a map of names to whole numbers, 1 to " + max, node -> map(node, number::read), ValueTypes::showMap);
    }

    static ValueType<Map<String, String>> subnetByName() {
        return new ValueType<>(
                "a map of vSwitch ids to IPv4 subnets such as 10.0.0.0/24, /16 to /29, at least one; with IPv6 as"
                        + " 10.0.0.0/24,2001:db8::/64",
                node -> {
                    require(node.size() > 0);
                    return map(node, ValueTypes::subnet);
                },
                ValueTypes::showMap);
    }

    static ValueType<List<String>> serviceSubnets() {
        return new ValueType<>(
                "an IPv4 or IPv6 subnet such as 172.21.0.0/20, or one of each separated by a comma",
                node -> {
                    require(node.isTextual());
                    return Subnets.ofServices(node.textValue());
                },
                subnets -> String.join(",", subnets));
    }

    private static String subnet(JsonNode node) {
        require(node.isTextual());
        String[] parts = node.textValue().split(",", -1);
        require(parts.length <= 2);
        return parts.length == 1 ? ipv4Subnet(parts[0]) : ipv4Subnet(parts[0]) + "," + ipv6Subnet(parts[1]);
    }

    private static String ipv6Subnet(String text) {
        IPAddress address = new IPAddressString(text).getAddress();
        require(address != null && address.isIPv6() && address.isPrefixBlock());
        Integer bits = address.getNetworkPrefixLength();
        require(bits != null && bits == 64);
        return address.toCanonicalString();
    }

    private static String ipv4Subnet(String text) {
        IPAddress address = new IPAddressString(text).getAddress();
        require(address != null && address.isIPv4() && address.isPrefixBlock());
        Integer bits = address.getNetworkPrefixLength();
        require(bits != null && bits >= 16 && bits <= 29);
        return address.toCanonicalString();
    }

    private static List<String> nameList(JsonNode node, int most) {
        require(node.isArray() && node.size() <= most);
        List<String> names = new ArrayList<>();
        for (JsonNode item : node) {
            require(item.isTextual() && !item.textValue().isBlank());
            names.add(item.textValue());
        }
        return List.copyOf(names);
    }

    private static <V> Map<String, V> map(JsonNode node, Function<JsonNode, V> value) {
        require(node.isObject());
        Map<String, V> map = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            map.put(field.getKey(), value.apply(field.getValue()));
        }
        return Collections.unmodifiableMap(map);
    }

    private static String showMap(Map<String, ?> map) {
        List<String> pairs = new ArrayList<>();
        map.forEach((key, value) -> pairs.add(key + "=" + value));
        return String.join(", ", pairs);
    }

    private static void require(boolean allowed) {
        if (!allowed) {
            throw new IllegalArgumentException("not allowed");
        }
    }
}

package io.enipam.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import io.enipam.aliyun.client.RetryingEcsApi.CallConfig.Retries;
import io.enipam.emulator.cloud.Latency;
import io.enipam.engine.concurrent.Backoff;
import io.enipam.sdk.DurationText;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How a setting's value is read, validated and shown.
 *
 * @param allowed what is allowed, in words: "a whole number, 0 to 100"
 * @param reader reads the value of a node; throws IllegalArgumentException if the value is not allowed
 * @param text the value as a person would write it
 */
record ValueType<T>(String allowed, Function<JsonNode, T> reader, Function<T, String> text) {
    private static final Set<String> FIELDS = Set.of("duration", "factor", "jitter", "steps", "cap");
    private static final Duration LONGEST = Duration.ofMinutes(10);
    private static final int MOST_STEPS = 100;

    T read(JsonNode node) {
        return reader.apply(node);
    }

    String show(T value) {
        return text.apply(value);
    }

    private static <T> ValueType<T> shown(String allowed, Function<JsonNode, T> reader) {
        return new ValueType<>(allowed, reader, String::valueOf);
    }

    static ValueType<Integer> integer(int min, int max) {
        return shown("a whole number, " + min + " to " + max, node -> {
            require(node.isIntegralNumber() && node.canConvertToInt());
            int value = node.intValue();
            require(value >= min && value <= max);
            return value;
        });
    }

    static ValueType<Long> seed() {
        return shown("a whole number of 64 bits", node -> {
            require(node.isIntegralNumber() && node.canConvertToLong());
            return node.longValue();
        });
    }

    static ValueType<Double> decimal(double min, double max) {
        return shown("a number, " + min + " to " + max, node -> {
            require(node.isNumber());
            double value = node.doubleValue();
            require(value >= min && value <= max);
            return value;
        });
    }

    static ValueType<Boolean> flag() {
        return shown("true or false", node -> {
            require(node.isBoolean());
            return node.booleanValue();
        });
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

    /** The same, with {@code off} allowed. */
    static ValueType<String> textOrOff(String allowed, String pattern) {
        ValueType<String> text = text(allowed, pattern);
        return new ValueType<>(allowed, node -> text.read(onOff(node)), Function.identity());
    }

    /** {@code on} and {@code off} without quotes are truth values in YAML 1.1. */
    private static JsonNode onOff(JsonNode node) {
        return node.isBoolean() ? TextNode.valueOf(node.booleanValue() ? "on" : "off") : node;
    }

    /** Delays of the emulated cloud; the emulator defines the allowed values. */
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
                    String value = onOff(node).asText();
                    require(onOff(node).isTextual() && known.contains(value));
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
                ValueType::showMap);
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
                ValueType::showMap);
    }

    static ValueType<Map<String, Integer>> numberByName(int max) {
        ValueType<Integer> number = integer(1, max);
        return new ValueType<>(
                "a map of names to whole numbers, 1 to " + max, node -> map(node, number::read), ValueType::showMap);
    }

    static ValueType<Map<String, String>> subnetByName() {
        return new ValueType<>(
                "a map of vSwitch ids to IPv4 subnets such as 10.0.0.0/24, /16 to /29, at least one; with IPv6 as"
                        + " 10.0.0.0/24,2001:db8::/64",
                node -> {
                    require(node.size() > 0);
                    return map(node, ValueType::subnet);
                },
                ValueType::showMap);
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

    /**
     * Terway's back-offs: the JSON of Kubernetes' {@code wait.Backoff}, whose durations are whole nanoseconds; texts
     * such as {@code 2s} are accepted, too. As in Go, names are case-insensitive.
     */
    static ValueType<Map<String, Retries>> backoffByName() {
        return new ValueType<>(
                "a map of names to back-offs such as {\"Duration\": \"2s\", \"Factor\": 1.5, \"Jitter\": 0.3,"
                        + " \"Steps\": 6}: Duration above 0s up to 10m, Factor 0 to 10, Jitter 0 to 10, Steps 1 to 100,"
                        + " Cap up to 10m",
                ValueType::backoffs,
                ValueType::show);
    }

    private static Map<String, Retries> backoffs(JsonNode node) {
        require(node.size() <= 100);
        return map(node, ValueType::retries);
    }

    private static Retries retries(JsonNode node) {
        require(node.isObject());
        Map<String, JsonNode> fields = node.properties().stream()
                .collect(Collectors.toMap(
                        field -> field.getKey().toLowerCase(Locale.ROOT), Map.Entry::getValue, (first, last) -> last));
        require(FIELDS.containsAll(fields.keySet()) && fields.containsKey("duration"));
        Duration first = duration(fields.get("duration"));
        require(first.compareTo(Duration.ZERO) > 0);
        Duration cap = fields.containsKey("cap") ? duration(fields.get("cap")) : Duration.ZERO;
        // without a cap and with a factor of zero, Kubernetes waits the same time after each failure
        double factor = Math.max(1, number(fields, "factor", 1, 10));
        double jitter = Math.min(1, number(fields, "jitter", 0, 10));
        int steps = (int) number(fields, "steps", 1, MOST_STEPS);
        require(steps >= 1);
        Duration longest = cap.isZero() ? LONGEST : cap;
        Duration most = longest.compareTo(first) < 0 ? first : longest;
        return new Retries(new Backoff(first, most, factor, 1, 1), jitter, steps);
    }

    private static Duration duration(JsonNode node) {
        require(node.isTextual() || (node.isIntegralNumber() && node.canConvertToLong()));
        Duration value = node.isTextual() ? DurationText.parse(node.textValue()) : Duration.ofNanos(node.longValue());
        require(!value.isNegative() && value.compareTo(LONGEST) <= 0);
        return value;
    }

    private static double number(Map<String, JsonNode> fields, String name, double usual, double most) {
        JsonNode node = fields.get(name);
        if (node == null) {
            return usual;
        }
        require(node.isNumber());
        require(node.doubleValue() >= 0 && node.doubleValue() <= most);
        return node.doubleValue();
    }

    private static String show(Map<String, Retries> backoffs) {
        return backoffs.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> (entry.getKey().isEmpty() ? "(others)" : entry.getKey()) + "=" + show(entry.getValue()))
                .collect(Collectors.joining(", "));
    }

    private static String show(Retries retries) {
        return DurationText.show(retries.backoff().first()) + " x"
                + retries.backoff().factor() + " jitter " + retries.jitter() + " at most " + retries.attempts()
                + " times";
    }

    private static String subnet(JsonNode node) {
        require(node.isTextual());
        String[] parts = node.textValue().split(",", -1);
        require(parts.length <= 2);
        String ipv4 = subnet(parts[0], false, 16, 29);
        return parts.length == 1 ? ipv4 : ipv4 + "," + subnet(parts[1], true, 64, 64);
    }

    private static String subnet(String text, boolean ipv6, int shortest, int longest) {
        IPAddress address = new IPAddressString(text).getAddress();
        require(address != null && address.isIPv6() == ipv6 && address.isPrefixBlock());
        Integer bits = address.getNetworkPrefixLength();
        require(bits != null && bits >= shortest && bits <= longest);
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

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

    static ValueType<Long> wholeNumber() {
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
        return shown(allowed, node -> {
            require(compiled.matcher(textOf(node)).matches());
            return node.textValue();
        });
    }

    /**
     * An absolute path.
     *
     * @param unset what empty text stands for
     * @param most how many characters may follow the first slash
     */
    static ValueType<String> path(String unset, int most) {
        return text("an absolute path, or empty text for " + unset, "|/.{0," + most + "}");
    }

    /** A text, with {@code off} allowed. */
    static ValueType<String> textOrOff(String allowed, String pattern) {
        ValueType<String> text = text(allowed, pattern);
        return shown(allowed, node -> text.read(onOff(node)));
    }

    /** {@code on} and {@code off} without quotes are truth values in YAML 1.1. */
    private static JsonNode onOff(JsonNode node) {
        return node.isBoolean() ? TextNode.valueOf(node.booleanValue() ? "on" : "off") : node;
    }

    /** Delays of the emulated cloud; the emulator defines the allowed values. */
    static ValueType<String> latency() {
        return shown(
                "none, real, or WHAT=TIME[-TIME] separated by commas such as *=20ms,attaching=1s-2s",
                node -> Latency.parse(textOf(node)).toString());
    }

    static ValueType<String> choice(String... options) {
        List<String> known = List.of(options);
        String names = known.stream()
                .map(option -> option.isEmpty() ? "empty text" : option)
                .collect(Collectors.joining(", "));
        return shown("one of " + names, node -> {
            require(known.contains(textOf(onOff(node))));
            return onOff(node).textValue();
        });
    }

    static ValueType<Optional<URI>> httpAddress() {
        return new ValueType<>(
                "an http or https URL such as http://127.0.0.1:8080",
                node -> {
                    if (textOf(node).isEmpty()) {
                        return Optional.empty();
                    }
                    URI uri = URI.create(node.textValue());
                    require(uri.getHost() != null && List.of("http", "https").contains(uri.getScheme()));
                    return Optional.of(uri);
                },
                uri -> uri.map(URI::toString).orElse(""));
    }

    static ValueType<Optional<ListenAddress>> listenAddress() {
        return new ValueType<>(
                "host:port such as 127.0.0.1:9498, [::1]:9498 or :9498 for every address, or empty text for none",
                node -> {
                    Optional<ListenAddress> address = ListenAddress.parse(textOf(node));
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
        return maps("a map of zone to a list of vSwitch ids", 0, Integer.MAX_VALUE, child -> nameList(child, 100));
    }

    static ValueType<Map<String, String>> textByName(int most) {
        return maps("a map of at most " + most + " names to text", 0, most, ValueType::textOf);
    }

    static ValueType<Map<String, Integer>> numberByName(int max) {
        ValueType<Integer> number = integer(1, max);
        return maps("a map of names to whole numbers, 1 to " + max, 0, Integer.MAX_VALUE, number::read);
    }

    static ValueType<Map<String, String>> subnetByName() {
        return maps(
                "a map of vSwitch ids to IPv4 subnets such as 10.0.0.0/24, /16 to /29, at least one; with IPv6 as"
                        + " 10.0.0.0/24,2001:db8::/64",
                1,
                Integer.MAX_VALUE,
                ValueType::subnet);
    }

    static ValueType<List<String>> serviceSubnets() {
        return new ValueType<>(
                "an IPv4 or IPv6 subnet such as 172.21.0.0/20, or one of each separated by a comma",
                node -> subnetsOfServices(textOf(node)),
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
                node -> map(node, 0, 100, ValueType::retries),
                ValueType::show);
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
        Duration value = node.isTextual()
                ? DurationText.parse(node.textValue())
                : Duration.ofNanos(wholeNumber().read(node));
        require(!value.isNegative() && value.compareTo(LONGEST) <= 0);
        return value;
    }

    private static double number(Map<String, JsonNode> fields, String name, double usual, double most) {
        JsonNode node = fields.get(name);
        if (node == null) {
            return usual;
        }
        return decimal(0, most).read(node);
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
        String[] parts = textOf(node).split(",", -1);
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

    /**
     * The addresses of services: an IPv4 subnet, an IPv6 one, or one of each separated by a comma.
     *
     * @return in canonical form, in their order; none for empty text
     * @throws IllegalArgumentException if it is anything else
     */
    static List<String> subnetsOfServices(String text) {
        List<IPAddress> all = new ArrayList<>();
        for (String part : text.isBlank() ? new String[0] : text.split(",", -1)) {
            IPAddress subnet = new IPAddressString(part.strip()).getAddress();
            if (subnet == null || subnet.getNetworkPrefixLength() == null || !subnet.isPrefixBlock()) {
                throw new IllegalArgumentException("not a subnet");
            }
            if (all.stream().anyMatch(other -> other.isIPv4() == subnet.isIPv4())) {
                throw new IllegalArgumentException("two of one family");
            }
            all.add(subnet);
        }
        return all.stream().map(IPAddress::toCanonicalString).toList();
    }

    private static List<String> nameList(JsonNode node, int most) {
        require(node.isArray() && node.size() <= most);
        List<String> names = new ArrayList<>();
        for (JsonNode item : node) {
            require(!textOf(item).isBlank());
            names.add(item.textValue());
        }
        return List.copyOf(names);
    }

    private static <V> ValueType<Map<String, V>> maps(
            String allowed, int fewest, int most, Function<JsonNode, V> value) {
        return new ValueType<>(allowed, node -> map(node, fewest, most, value), ValueType::showMap);
    }

    private static <V> Map<String, V> map(JsonNode node, int fewest, int most, Function<JsonNode, V> value) {
        require(node.isObject() && node.size() >= fewest && node.size() <= most);
        Map<String, V> map = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            map.put(field.getKey(), value.apply(field.getValue()));
        }
        return Collections.unmodifiableMap(map);
    }

    private static String showMap(Map<String, ?> map) {
        return map.entrySet().stream().map(Map.Entry::toString).collect(Collectors.joining(", "));
    }

    private static String textOf(JsonNode node) {
        require(node.isTextual());
        return node.textValue();
    }

    private static void require(boolean allowed) {
        if (!allowed) {
            throw new IllegalArgumentException("not allowed");
        }
    }
}

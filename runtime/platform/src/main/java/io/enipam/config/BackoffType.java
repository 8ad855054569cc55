package io.enipam.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.aliyun.client.CallConfig.Retries;
import io.enipam.engine.concurrent.Backoff;
import io.enipam.sdk.DurationText;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Terway's back-offs: the JSON of Kubernetes' {@code wait.Backoff}, whose durations are whole nanoseconds; texts such as
 * {@code 2s} are read, too. As in Go, the case of the names does not matter.
 */
final class BackoffType {
    private static final Set<String> FIELDS = Set.of("duration", "factor", "jitter", "steps", "cap");
    private static final Duration LONGEST = Duration.ofMinutes(10);
    private static final int MOST_STEPS = 100;

    private BackoffType() {}

    static ValueType<Map<String, Retries>> backoffByName() {
        return new ValueType<>(
                "a map of names to back-offs such as {\"Duration\": \"2s\", \"Factor\": 1.5, \"Jitter\": 0.3,"
                        + " \"Steps\": 6}: Duration above 0s up to 10m, Factor 0 to 10, Jitter 0 to 10, Steps 1 to 100,"
                        + " Cap up to 10m",
                BackoffType::read,
                BackoffType::show);
    }

    private static Map<String, Retries> read(JsonNode node) {
        require(node.isObject() && node.size() <= 100);
        Map<String, Retries> all = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            all.put(field.getKey(), retries(field.getValue()));
        }
        return Map.copyOf(all);
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
        // where Kubernetes has no cap, and a factor of zero, it means: the same wait each time
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
                .map(entry -> (entry.getKey().isEmpty() ? "(others)" : entry.getKey()) + "="
                        + String.join(" ", words(entry.getValue())))
                .collect(Collectors.joining(", "));
    }

    private static List<String> words(Retries retries) {
        return List.of(
                DurationText.show(retries.backoff().first()),
                "x" + retries.backoff().factor(),
                "jitter " + retries.jitter(),
                "at most " + retries.attempts() + " times");
    }

    private static void require(boolean allowed) {
        if (!allowed) {
            throw new IllegalArgumentException("not allowed");
        }
    }
}

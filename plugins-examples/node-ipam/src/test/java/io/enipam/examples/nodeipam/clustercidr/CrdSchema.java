package io.enipam.examples.nodeipam.clustercidr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.enipam.sdk.ranges.Subnet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/**
 * The schema of the CRD's manifest as an API server applies it, as far as the manifest uses it. There is no evaluator of CEL: what each
 * rule says is said once more in Java, by the rule's exact text.
 */
final class CrdSchema {
    private static final Path FILE =
            Path.of("..", "..", "runtime", "deploy", "cluster", "multi-cidr", "crd-clustercidr.yaml");
    private static final Map<String, BiPredicate<JsonNode, JsonNode>> RULES = rules();

    final JsonNode crd;
    final JsonNode schema;

    CrdSchema() {
        try {
            crd = new ObjectMapper(new YAMLFactory()).readTree(FILE.toFile());
        } catch (IOException e) {
            throw new AssertionError("the manifest cannot be read", e);
        }
        schema = crd.at("/spec/versions/0/schema/openAPIV3Schema");
    }

    private static Map<String, BiPredicate<JsonNode, JsonNode>> rules() {
        Map<String, BiPredicate<JsonNode, JsonNode>> rules = new HashMap<>();
        for (int family : new int[] {4, 6}) {
            String field = "ipv" + family;
            String self = "self." + field;
            rules.put(
                    "self == '' || isCIDR(self) && cidr(self).ip().family() == " + family,
                    (now, old) -> now.asText().isEmpty() || isOf(now, family));
            rules.put(
                    "!has(" + self + ") || !isCIDR(" + self + ") || self.perNodeHostBits + cidr(" + self
                            + ").prefixLength() <= " + (family == 4 ? 32 : 128),
                    (now, old) -> cidr(now.path(field))
                            .filter(cidr ->
                                    now.path("perNodeHostBits").asInt() + cidr.length() > (family == 4 ? 32 : 128))
                            .isEmpty());
            rules.put(
                    unchanged(field),
                    (now, old) -> old == null || now.path(field).equals(old.path(field)));
        }
        rules.put(
                "!has(self.ipv6) || !isCIDR(self.ipv6) || self.perNodeHostBits + cidr(self.ipv6).prefixLength() >= 112",
                (now, old) -> cidr(now.path("ipv6"))
                        .filter(cidr -> now.path("perNodeHostBits").asInt() + cidr.length() < 112)
                        .isEmpty());
        rules.put(
                "has(self.ipv4) && self.ipv4 != '' || has(self.ipv6) && self.ipv6 != ''",
                (now, old) -> !now.path("ipv4").asText().isEmpty()
                        || !now.path("ipv6").asText().isEmpty());
        rules.put(
                unchanged("nodeSelector"),
                (now, old) -> old == null || now.path("nodeSelector").equals(old.path("nodeSelector")));
        rules.put(
                "self.perNodeHostBits == oldSelf.perNodeHostBits",
                (now, old) -> old == null || now.path("perNodeHostBits").equals(old.path("perNodeHostBits")));
        rules.put(
                "!(self.operator in ['In', 'NotIn']) || has(self.values) && size(self.values) > 0",
                (now, old) -> !isOneOf(now, "In", "NotIn") || now.path("values").size() > 0);
        rules.put(
                "!(self.operator in ['Exists', 'DoesNotExist']) || !has(self.values) || size(self.values) == 0",
                (now, old) -> !isOneOf(now, "Exists", "DoesNotExist")
                        || now.path("values").size() == 0);
        rules.put(
                "!(self.operator in ['Gt', 'Lt']) || has(self.values) && size(self.values) == 1 &&"
                        + " self.values[0].matches('^[0-9]{1,18}$')",
                (now, old) -> !isOneOf(now, "Gt", "Lt")
                        || now.path("values").size() == 1
                                && now.path("values").path(0).asText().matches("[0-9]{1,18}"));
        return rules;
    }

    private static String unchanged(String field) {
        return "has(self." + field + ") == has(oldSelf." + field + ") && (!has(self." + field + ") || self." + field
                + " == oldSelf." + field + ")";
    }

    private static boolean isOneOf(JsonNode expression, String... operators) {
        return Set.of(operators).contains(expression.path("operator").asText());
    }

    /** As CEL reads it: an IPv4-mapped address is none. */
    private static Optional<Subnet> cidr(JsonNode text) {
        try {
            return Optional.of(Subnet.parse(text.asText()))
                    .filter(cidr -> cidr.address().unmapped().equals(cidr.address()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static boolean isOf(JsonNode text, int family) {
        return cidr(text)
                .filter(cidr -> cidr.address().family().bits() == (family == 4 ? 32 : 128))
                .isPresent();
    }

    /** What the API server says of an object; empty if it takes it. */
    List<String> refused(Object object) {
        List<String> problems = new ArrayList<>();
        JsonNode tree = new ObjectMapper().valueToTree(object);
        check(schema, tree, null, "", problems);
        return problems;
    }

    /** The same when it is changed. */
    List<String> refused(Object object, Object before) {
        List<String> problems = new ArrayList<>();
        ObjectMapper json = new ObjectMapper();
        check(schema, json.valueToTree(object), json.valueToTree(before), "", problems);
        return problems;
    }

    private void check(JsonNode schema, JsonNode value, JsonNode old, String path, List<String> problems) {
        String wrong = wrong(schema, value);
        if (!wrong.isEmpty()) {
            problems.add(path + ": " + wrong);
            return;
        }
        schema.path("required").forEach(name -> {
            if (value.path(name.asText()).isMissingNode()) {
                problems.add(path + "." + name.asText() + ": Required value");
            }
        });
        schema.path("properties").properties().forEach(property -> {
            String name = property.getKey();
            if (value.has(name)) {
                JsonNode was = old == null || !old.has(name) ? null : old.get(name);
                check(property.getValue(), value.get(name), was, path + "." + name, problems);
            }
        });
        for (int i = 0; schema.has("items") && i < value.size(); i++) {
            check(schema.get("items"), value.get(i), null, path + "[" + i + "]", problems);
        }
        for (JsonNode rule : schema.path("x-kubernetes-validations")) {
            BiPredicate<JsonNode, JsonNode> says = RULES.get(rule.path("rule").asText());
            if (says == null) {
                throw new AssertionError("this test does not know the rule " + rule);
            }
            if (!says.test(value, old)) {
                problems.add(path + ": " + rule.path("message").asText());
            }
        }
    }

    private static String wrong(JsonNode schema, JsonNode value) {
        boolean fits = switch (schema.path("type").asText()) {
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "string" -> value.isTextual();
            case "integer" -> value.isIntegralNumber();
            default -> throw new AssertionError("this test does not know the type of " + schema);
        };
        if (!fits) {
            return "must be of type " + schema.path("type").asText();
        }
        boolean within = value.asLong() >= schema.path("minimum").asLong(Long.MIN_VALUE)
                && value.asLong() <= schema.path("maximum").asLong(Long.MAX_VALUE)
                && value.size() >= schema.path("minItems").asInt(0)
                && value.size() <= schema.path("maxItems").asInt(Integer.MAX_VALUE)
                && value.asText().length() <= schema.path("maxLength").asInt(Integer.MAX_VALUE);
        boolean matches = !within
                || !schema.has("pattern")
                || Pattern.compile(schema.get("pattern").asText())
                        .matcher(value.asText())
                        .find();
        boolean listed = !schema.has("enum")
                || StreamSupport.stream(schema.get("enum").spliterator(), false).anyMatch(value::equals);
        return within && matches && listed ? "" : value + " is not allowed";
    }

    /** All parts of the schema, itself included. */
    List<JsonNode> parts() {
        List<JsonNode> all = new ArrayList<>();
        collect(schema, all);
        return all;
    }

    private static void collect(JsonNode part, List<JsonNode> all) {
        all.add(part);
        part.path("properties").forEach(property -> collect(property, all));
        if (part.has("items")) {
            collect(part.get("items"), all);
        }
    }

    /** The texts of the rules that are known here. */
    static Set<String> known() {
        return RULES.keySet();
    }
}

package io.enipam.examples.nodeipam.clustercidr;

import static dev.cel.common.CelOverloadDecl.newGlobalOverload;
import static dev.cel.common.CelOverloadDecl.newMemberOverload;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.cel.bundle.Cel;
import dev.cel.bundle.CelFactory;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.CelType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelRuntime;
import io.enipam.sdk.Family;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.Subnet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The schema of the CRD's manifest as an API server applies it, as far as the manifest uses it, with its rules in CEL.
 */
final class CrdSchema {
    private static final Path FILE =
            Path.of("..", "..", "runtime", "deploy", "cluster", "multi-cidr", "crd-clustercidr.yaml");
    /** Whole numbers of CEL are long ones. */
    private static final ObjectMapper JSON =
            new ObjectMapper().configure(DeserializationFeature.USE_LONG_FOR_INTS, true);

    private static final Cel CEL = cel();
    private static final Map<String, CelRuntime.Program> PROGRAMS = new ConcurrentHashMap<>();

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

    /** Kubernetes' library of networks, as far as the rules use it. */
    private static Cel cel() {
        CelType cidr = OpaqueType.create("net.CIDR");
        CelType ip = OpaqueType.create("net.IP");
        return CelFactory.standardCelBuilder()
                .setStandardMacros(CelStandardMacro.HAS)
                .addVar("self", SimpleType.DYN)
                .addVar("oldSelf", SimpleType.DYN)
                .addFunctionDeclarations(
                        function("isCIDR", newGlobalOverload("is_cidr", SimpleType.BOOL, SimpleType.STRING)),
                        function("cidr", newGlobalOverload("string_to_cidr", cidr, SimpleType.STRING)),
                        function("prefixLength", newMemberOverload("cidr_prefix_length", SimpleType.INT, cidr)),
                        function("ip", newMemberOverload("cidr_ip", ip, cidr)),
                        function("family", newMemberOverload("ip_family", SimpleType.INT, ip)))
                .addFunctionBindings(
                        CelFunctionBinding.from(
                                "is_cidr", String.class, text -> cidr(text).isPresent()),
                        CelFunctionBinding.from(
                                "string_to_cidr",
                                String.class,
                                text -> cidr(text).orElseThrow()),
                        CelFunctionBinding.from("cidr_prefix_length", Subnet.class, its -> (long) its.length()),
                        CelFunctionBinding.from("cidr_ip", Subnet.class, Subnet::address),
                        CelFunctionBinding.from("ip_family", Ip.class, its -> its.family() == Family.IPV4 ? 4L : 6L))
                .build();
    }

    private static CelFunctionDecl function(String name, CelOverloadDecl overload) {
        return CelFunctionDecl.newFunctionDeclaration(name, overload);
    }

    /** A rule about a change is not applied where there is nothing from before. */
    private static boolean holds(String rule, JsonNode now, @Nullable JsonNode old) {
        if (old == null && rule.contains("oldSelf")) {
            return true;
        }
        Map<String, Object> variables = new HashMap<>();
        variables.put("self", JSON.convertValue(now, Object.class));
        if (old != null) {
            variables.put("oldSelf", JSON.convertValue(old, Object.class));
        }
        try {
            return (boolean) PROGRAMS.computeIfAbsent(rule, CrdSchema::program).eval(variables);
        } catch (CelEvaluationException e) {
            throw new AssertionError(rule + " cannot be evaluated on " + now, e);
        }
    }

    private static CelRuntime.Program program(String rule) {
        try {
            return CEL.createProgram(CEL.compile(rule).getAst());
        } catch (CelValidationException | CelEvaluationException e) {
            throw new AssertionError("no CEL: " + rule, e);
        }
    }

    /** As CEL reads it: an IPv4-mapped address is none. */
    private static Optional<Subnet> cidr(String text) {
        try {
            return Optional.of(Subnet.parse(text))
                    .filter(cidr -> cidr.address().unmapped().equals(cidr.address()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** What the API server says of an object; empty if it takes it. */
    List<String> refused(Object object) {
        return refused(tree(object), null);
    }

    /** The same when it is changed. */
    List<String> refused(Object object, Object before) {
        return refused(tree(object), tree(before));
    }

    private static JsonNode tree(Object object) {
        return new ObjectMapper().valueToTree(object);
    }

    /** Rules are applied to what is of the right shape. */
    private List<String> refused(JsonNode object, @Nullable JsonNode before) {
        List<String> problems = new ArrayList<>();
        shape(schema, object, "", problems);
        if (problems.isEmpty()) {
            rules(schema, object, before, "", problems);
        }
        return problems;
    }

    private static void shape(JsonNode schema, JsonNode value, String path, List<String> problems) {
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
                shape(property.getValue(), value.get(name), path + "." + name, problems);
            }
        });
        for (int i = 0; schema.has("items") && i < value.size(); i++) {
            shape(schema.get("items"), value.get(i), path + "[" + i + "]", problems);
        }
    }

    private static void rules(
            JsonNode schema, JsonNode value, @Nullable JsonNode old, String path, List<String> problems) {
        schema.path("properties").properties().forEach(property -> {
            String name = property.getKey();
            if (value.has(name)) {
                JsonNode was = old == null || !old.has(name) ? null : old.get(name);
                rules(property.getValue(), value.get(name), was, path + "." + name, problems);
            }
        });
        for (int i = 0; schema.has("items") && i < value.size(); i++) {
            rules(schema.get("items"), value.get(i), null, path + "[" + i + "]", problems);
        }
        for (JsonNode rule : schema.path("x-kubernetes-validations")) {
            if (!holds(rule.path("rule").asText(), value, old)) {
                problems.add(path + ": " + rule.path("message").asText());
            }
        }
    }

    private static String wrong(JsonNode schema, JsonNode value) {
        boolean fits = switch (schema.path("type").asText()) {
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "string" -> value.isTextual();
            case "integer" -> value.isIntegralNumber() && value.canConvertToLong();
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
}

package io.enipam.acceptance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Answers without what is different in each run: times, spans, ids, addresses, figures, and how often a line of one kind is
 * there. What is left is the shape, the words and the states.
 */
final class OutputNormalizer {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    private static final Map<Pattern, String> RULES = rules();

    private OutputNormalizer() {}

    private static Map<Pattern, String> rules() {
        Map<Pattern, String> rules = new LinkedHashMap<>();
        rules.put(Pattern.compile("(?<=hostname=\")[^\"]*"), "HOST");
        rules.put(Pattern.compile("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z"), "TIME");
        rules.put(Pattern.compile("\\b\\d\\d:\\d\\d:\\d\\d\\b"), "CLOCK");
        rules.put(Pattern.compile("\\b([0-9a-f]{2}:){5}[0-9a-f]{2}\\b"), "MAC");
        rules.put(Pattern.compile("\\b[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\\b"), "UUID");
        rules.put(Pattern.compile("\\b[0-9a-f]{64}\\b"), "HASH");
        rules.put(Pattern.compile("\\b(eni|i|vsw|vpc|sg)-[a-z0-9]{15,25}\\b"), "$1-ID");
        rules.put(Pattern.compile("\\bsim-[0-9a-f]{12}\\b"), "CONTAINER");
        rules.put(Pattern.compile("under 1 ms|\\b\\d+(\\.\\d+)? ?(ms|s|m|h|d)\\b"), "SPAN");
        rules.put(Pattern.compile("\\d+"), "N");
        return rules;
    }

    /** A text, line by line; lines of one kind behind each other are one. */
    static String text(String text, String root) {
        List<String> lines = new ArrayList<>();
        for (String line : text.split("\n", -1)) {
            String normal = word(line, root).replaceAll(" {2,}", "  ").stripTrailing();
            if (lines.isEmpty() || !lines.get(lines.size() - 1).equals(normal)) {
                lines.add(normal);
            }
        }
        return String.join("\n", lines);
    }

    private static String word(String text, String root) {
        String normal = text.replace(root, "ROOT");
        for (Map.Entry<Pattern, String> rule : RULES.entrySet()) {
            normal = rule.getKey().matcher(normal).replaceAll(rule.getValue());
        }
        return normal;
    }

    /** A document: fields in their order, of a list each kind of item once. */
    static String json(String json, String root) {
        try {
            return JSON.writeValueAsString(node(JSON.readTree(json), root));
        } catch (JsonProcessingException e) {
            throw new AssertionError("no JSON: " + json, e);
        }
    }

    private static JsonNode node(JsonNode node, String root) {
        if (node instanceof ObjectNode object) {
            ObjectNode normal = JsonNodeFactory.instance.objectNode();
            object.properties().forEach(field -> normal.set(word(field.getKey(), root), node(field.getValue(), root)));
            return normal;
        }
        if (node instanceof ArrayNode array) {
            Map<String, JsonNode> kinds = new TreeMap<>();
            array.forEach(item -> {
                JsonNode normal = node(item, root);
                kinds.put(normal.toString(), normal);
            });
            ArrayNode normal = JsonNodeFactory.instance.arrayNode();
            kinds.values().forEach(normal::add);
            return normal;
        }
        return node.isBoolean() ? node : JsonNodeFactory.instance.textNode(word(node.asText(), root));
    }
}

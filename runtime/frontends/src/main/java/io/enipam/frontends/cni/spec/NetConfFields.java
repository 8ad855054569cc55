package io.enipam.frontends.cni.spec;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Values of a configuration by their type. A key that is absent or null has none; one of another type is a
 * {@link CniException} with code 7 that names key and value.
 */
final class NetConfFields {
    private NetConfFields() {}

    static Optional<JsonNode> object(JsonNode node, String key) {
        return of(node, node.isObject(), key, "an object");
    }

    static Optional<String> text(JsonNode node, String key) {
        return of(node, node.isTextual(), key, "text").map(JsonNode::textValue);
    }

    static OptionalLong number(JsonNode node, String key, long least, long most) {
        boolean right = node.isIntegralNumber()
                && node.canConvertToLong()
                && node.longValue() >= least
                && node.longValue() <= most;
        String range = most == Long.MAX_VALUE ? "of " + least + " or more" : "from " + least + " to " + most;
        Optional<JsonNode> found = of(node, right, key, "a whole number " + range);
        return found.isPresent() ? OptionalLong.of(found.get().longValue()) : OptionalLong.empty();
    }

    static List<JsonNode> array(JsonNode node, String key) {
        List<JsonNode> all = new ArrayList<>();
        of(node, node.isArray(), key, "an array").ifPresent(array -> array.forEach(all::add));
        return all;
    }

    static List<String> texts(JsonNode node, String key) {
        List<String> all = new ArrayList<>();
        for (JsonNode element : array(node, key)) {
            all.add(text(element, key + "[" + all.size() + "]").orElse(""));
        }
        return all;
    }

    static CniException wrong(JsonNode node, String key, String expected) {
        String value = node.isTextual() ? Quoted.of(node.textValue()) : shown(node);
        if (node.isMissingNode()) {
            return CniException.config(key + " is missing: " + expected + " is expected");
        }
        return CniException.config(key + " is " + value + ", which is not " + expected);
    }

    private static String shown(JsonNode node) {
        if (node.isContainerNode()) {
            return node.isArray() ? "an array" : "an object";
        }
        String text = node.asText();
        return text.length() > 64 ? text.substring(0, 64) + "…" : text;
    }

    private static Optional<JsonNode> of(JsonNode node, boolean right, String key, String expected) {
        if (node.isMissingNode() || node.isNull()) {
            return Optional.empty();
        }
        if (!right) {
            throw wrong(node, key, expected);
        }
        return Optional.of(node);
    }
}

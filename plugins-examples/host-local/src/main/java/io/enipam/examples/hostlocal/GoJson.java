package io.enipam.examples.hostlocal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A value of a network configuration, read as Go's encoding/json reads it: keys in any case, null is nothing, and a value of another type
 * is an error that names the field.
 *
 * @param path of the field, as Go names it in an error
 */
record GoJson(JsonNode node, String path) {
    private static final ObjectReader READER =
            new ObjectMapper().reader().with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    /** @throws Refused code 6 if it is no JSON object */
    static GoJson read(String text) throws Refused {
        JsonNode node;
        try {
            node = READER.readTree(text);
        } catch (JsonEOFException e) {
            throw unreadable("unexpected end of JSON input");
        } catch (JsonProcessingException e) {
            throw unreadable(e.getOriginalMessage());
        }
        if (node.isMissingNode()) {
            throw unreadable("unexpected end of JSON input");
        }
        if (!node.isObject()) {
            throw unreadable("json: cannot unmarshal " + kind(node)
                    + " into Go value of type struct { Name string \"json:\\\"name\\\"\" }");
        }
        return new GoJson(node, "");
    }

    /** Code 6. */
    static Refused unreadable(String why) {
        return new Refused(Refused.DECODE, "error unmarshall network config: " + why, "");
    }

    private static String kind(JsonNode node) {
        return switch (node.getNodeType()) {
            case ARRAY -> "array";
            case BOOLEAN -> "bool";
            case NUMBER -> "number";
            case STRING -> "string";
            default -> "object";
        };
    }

    /** The member of this name, else one whose name differs in case alone; of none, and of null, a value that is absent. */
    GoJson at(String name) {
        JsonNode found = node.get(name);
        if (found == null) {
            for (Map.Entry<String, JsonNode> member : node.properties()) {
                if (member.getKey().equalsIgnoreCase(name)) {
                    found = member.getValue();
                }
            }
        }
        return new GoJson(found == null || found.isNull() ? MissingNode.getInstance() : found, path + "." + name);
    }

    boolean isAbsent() {
        return node.isMissingNode();
    }

    /** Itself, unless it is something else than an object. */
    GoJson object(String type) throws Refused {
        if (!isAbsent() && !node.isObject()) {
            throw wrong(type);
        }
        return this;
    }

    /** Empty if it is absent. */
    Optional<String> text(String type) throws Refused {
        if (!isAbsent() && !node.isTextual()) {
            throw wrong(type);
        }
        return isAbsent() ? Optional.empty() : Optional.of(node.textValue());
    }

    /** None if it is absent. */
    List<GoJson> elements(String type) throws Refused {
        if (!isAbsent() && !node.isArray()) {
            throw wrong(type);
        }
        List<GoJson> elements = new ArrayList<>();
        node.forEach(element -> elements.add(new GoJson(element, path)));
        return elements;
    }

    private Refused wrong(String type) {
        return Refused.of(
                "json: cannot unmarshal " + kind(node) + " into Go struct field " + path + " of type " + type);
    }
}

package io.enipam.emulator.control;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The fields of a JSON object in a request. Each method throws IllegalArgumentException for a field that is not as it says. */
final class ControlRequestFields {
    private final JsonNode json;

    ControlRequestFields(JsonNode json) {
        if (!json.isObject()) {
            throw new IllegalArgumentException("the body must be a JSON object");
        }
        this.json = json;
    }

    /** Refuses fields that mean nothing here. */
    void allow(Set<String> names, String... more) {
        Set<String> all = new TreeSet<>(names);
        all.addAll(List.of(more));
        Iterator<String> given = json.fieldNames();
        while (given.hasNext()) {
            String name = given.next();
            if (!all.contains(name)) {
                throw new IllegalArgumentException(
                        "the field '" + name + "' means nothing here; there are " + String.join(", ", all));
            }
        }
    }

    boolean has(String name) {
        return json.hasNonNull(name);
    }

    String text(String name) {
        JsonNode value = json.path(name);
        if (!value.isTextual() || value.asText().isEmpty()) {
            throw new IllegalArgumentException("the field '" + name + "' must be a text");
        }
        return value.asText();
    }

    long number(String name) {
        JsonNode value = json.path(name);
        if (!value.isIntegralNumber() || !value.canConvertToInt()) {
            throw new IllegalArgumentException("the field '" + name + "' must be a whole number");
        }
        return value.asLong();
    }

    double decimal(String name) {
        JsonNode value = json.path(name);
        if (!value.isNumber()) {
            throw new IllegalArgumentException("the field '" + name + "' must be a number");
        }
        return value.asDouble();
    }

    boolean bool(String name, boolean otherwise) {
        JsonNode value = json.path(name);
        if (value.isMissingNode() || value.isNull()) {
            return otherwise;
        }
        if (!value.isBoolean()) {
            throw new IllegalArgumentException("the field '" + name + "' must be true or false");
        }
        return value.asBoolean();
    }
}

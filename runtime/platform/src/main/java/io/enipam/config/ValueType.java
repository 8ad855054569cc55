package io.enipam.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Function;

/**
 * How a setting's value is read, checked and shown.
 *
 * @param allowed what may stand there, for people: "a whole number, 0 to 100"
 * @param reader the value of a node; throws IllegalArgumentException if the node is anything not allowed
 * @param text the value as a person would write it
 */
record ValueType<T>(String allowed, Function<JsonNode, T> reader, Function<T, String> text) {
    T read(JsonNode node) {
        return reader.apply(node);
    }

    String show(T value) {
        return text.apply(value);
    }
}

package io.enipam.emulator.control;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import io.enipam.emulator.http.FullReply;

/** How the control API reads and writes JSON. */
final class ControlJson {
    private static final JsonMapper JSON = JsonMapper.builder()
            .addModule(new Jdk8Module())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private ControlJson() {}

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** Any value as its fields. */
    static JsonNode tree(Object value) {
        return JSON.valueToTree(value);
    }

    /**
     * Reads what somebody sent.
     *
     * @throws Problem if it is no JSON
     */
    static JsonNode read(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException broken) {
            throw new Problem(400, "the body is no JSON: " + broken.getOriginalMessage());
        }
    }

    static FullReply reply(int status, JsonNode body) {
        return new FullReply(status, "application/json", body.toPrettyString() + "\n");
    }
}

package io.enipam.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Lays one JSON value over another, as terway does with a ConfigMap: maps are merged key by key, null takes a key away, anything
 * else replaces what was there.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc7396">RFC 7396</a>
 */
final class MergePatch {
    private MergePatch() {}

    /** @return a value of its own; neither of the two is changed */
    static JsonNode apply(JsonNode base, JsonNode patch) {
        if (!patch.isObject()) {
            return patch.deepCopy();
        }
        ObjectNode merged = base.isObject() ? base.deepCopy() : JsonNodeFactory.instance.objectNode();
        patch.properties().forEach(field -> {
            if (field.getValue().isNull()) {
                merged.remove(field.getKey());
            } else {
                merged.set(field.getKey(), apply(merged.path(field.getKey()), field.getValue()));
            }
        });
        return merged;
    }
}

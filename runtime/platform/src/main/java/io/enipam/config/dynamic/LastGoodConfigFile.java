package io.enipam.config.dynamic;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.config.RemoteConfig.Overlay;
import io.enipam.platform.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A copy of the last ConfigMap in force, for a start without the API server. Only the daemon's user can read the file,
 * since a ConfigMap may contain confidential values. For one thread at a time.
 */
final class LastGoodConfigFile {
    private static final JsonMapper MAPPER = new JsonMapper();

    private final Path file;
    private final String node;

    /** @param node whose configuration this is: the disk may come from another node */
    LastGoodConfigFile(Path file, String node) {
        this.file = file;
        this.node = node;
    }

    /**
     * The copy.
     *
     * @return empty if there is none, or it belongs to another node
     * @throws IOException if it cannot be read or is invalid
     */
    Optional<Overlay> read() throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        JsonNode json = MAPPER.readTree(file.toFile());
        if (!json.path("source").isTextual()) {
            throw new IOException(file + " is no copy of a ConfigMap");
        }
        return json.path("node").asText().equals(node)
                ? Optional.of(new Overlay(
                        json.get("source").textValue(), text(json, Overlay.ENI_CONF), text(json, Overlay.ENIPAM_YAML)))
                : Optional.empty();
    }

    /** Stores this copy, or removes it. */
    void keep(Optional<Overlay> overlay) throws IOException {
        if (overlay.isEmpty()) {
            AtomicFile.delete(file);
            return;
        }
        ObjectNode json = MAPPER.createObjectNode()
                .put("node", node)
                .put("source", overlay.get().source());
        overlay.get().eniConf().ifPresent(text -> json.put(Overlay.ENI_CONF, text));
        overlay.get().enipamYaml().ifPresent(text -> json.put(Overlay.ENIPAM_YAML, text));
        AtomicFile.writePrivate(file, MAPPER.writeValueAsBytes(json));
    }

    private static Optional<String> text(JsonNode json, String key) {
        return Optional.ofNullable(json.get(key)).map(JsonNode::textValue);
    }
}

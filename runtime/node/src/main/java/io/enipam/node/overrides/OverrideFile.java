package io.enipam.node.overrides;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.platform.AtomicFile;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.CapacityOverride.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** The order that is in force, as JSON in a file of its own. For one thread at a time. */
final class OverrideFile {
    private final Path path;
    private final JsonMapper mapper = new JsonMapper();

    OverrideFile(Path path) {
        this.path = path;
    }

    Path path() {
        return path;
    }

    /**
     * The order that was noted last.
     *
     * @return empty if none is in force
     * @throws IOException if the file cannot be read
     * @throws RuntimeException if it makes no sense
     */
    Optional<IssuedOverride> read() throws IOException {
        if (!Files.exists(path)) {
            return Optional.empty();
        }
        JsonNode json = mapper.readTree(path.toFile());
        return Optional.of(new IssuedOverride(order(json), json.path("by").asText("")));
    }

    /** Notes an order; of none, nothing is left. It is on disk when this returns. */
    void write(IssuedOverride given) throws IOException {
        CapacityOverride order = given.order();
        if (order.kind() == Kind.NONE) {
            AtomicFile.delete(path);
            return;
        }
        ObjectNode json = mapper.createObjectNode()
                .put("kind", order.kind().name())
                .put("idle", order.idle())
                .put("since", order.since().toString())
                .put("met", order.met())
                .put("by", given.by());
        order.until().ifPresent(until -> json.put("until", until.toString()));
        AtomicFile.write(path, mapper.writeValueAsBytes(json));
    }

    private static CapacityOverride order(JsonNode json) {
        Instant since = Instant.parse(json.path("since").asText());
        return switch (Kind.valueOf(json.path("kind").asText())) {
            case NONE -> CapacityOverride.none(since);
            case DRAINED -> CapacityOverride.drained(since);
            case WARM -> {
                CapacityOverride warm = CapacityOverride.warm(
                        json.path("idle").asInt(),
                        since,
                        Instant.parse(json.path("until").asText()));
                yield json.path("met").asBoolean() ? warm.carriedOut() : warm;
            }
        };
    }
}

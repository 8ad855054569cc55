package io.enipam.daemon.orders;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.daemon.platform.ReplacedFile;
import io.enipam.engine.pool.StandingOrder;
import io.enipam.engine.pool.StandingOrder.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** The order that is in force, as JSON in a file of its own. For one thread at a time. */
final class OrderFile {
    private final Path path;
    private final JsonMapper mapper = new JsonMapper();

    OrderFile(Path path) {
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
    Optional<GivenOrder> read() throws IOException {
        if (!Files.exists(path)) {
            return Optional.empty();
        }
        JsonNode json = mapper.readTree(path.toFile());
        return Optional.of(new GivenOrder(order(json), json.path("by").asText("")));
    }

    /** Notes an order; of none, nothing is left. It is on disk when this returns. */
    void write(GivenOrder given) throws IOException {
        StandingOrder order = given.order();
        if (order.kind() == Kind.NONE) {
            ReplacedFile.delete(path);
            return;
        }
        ObjectNode json = mapper.createObjectNode()
                .put("kind", order.kind().name())
                .put("idle", order.idle())
                .put("since", order.since().toString())
                .put("met", order.met())
                .put("by", given.by());
        order.until().ifPresent(until -> json.put("until", until.toString()));
        ReplacedFile.write(path, mapper.writeValueAsBytes(json));
    }

    private static StandingOrder order(JsonNode json) {
        Instant since = Instant.parse(json.path("since").asText());
        return switch (Kind.valueOf(json.path("kind").asText())) {
            case NONE -> StandingOrder.none(since);
            case DRAINED -> StandingOrder.drained(since);
            case WARM -> {
                StandingOrder warm = StandingOrder.warm(
                        json.path("idle").asInt(),
                        since,
                        Instant.parse(json.path("until").asText()));
                yield json.path("met").asBoolean() ? warm.carriedOut() : warm;
            }
        };
    }
}

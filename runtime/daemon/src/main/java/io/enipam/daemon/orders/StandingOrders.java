package io.enipam.daemon.orders;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.daemon.platform.ReplacedFile;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.pool.Prospect;
import io.enipam.engine.pool.StandingOrder;
import io.enipam.engine.pool.StandingOrder.Kind;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * Gives the pool orders, and remembers them: an order is on disk before it is in force, so that a node that was emptied for a
 * repair stays empty when its daemon starts anew. Thread-safe.
 */
public final class StandingOrders {
    private static final String POOL = "pool";

    private final IpamEngine engine;
    private final Path file;
    private final TimeSource time;
    private final EventSink events;
    private final JsonMapper mapper = new JsonMapper();

    public StandingOrders(IpamEngine engine, Path file, TimeSource time, EventSink events) {
        this.engine = engine;
        this.file = file;
        this.time = time;
        this.events = events;
    }

    /** The order of before a restart is in force again, and told; a file that cannot be read is told, and no order. */
    public void restore() {
        try {
            if (!Files.exists(file)) {
                return;
            }
            StandingOrder order = read(mapper.readTree(file.toFile()));
            boolean over =
                    order.until().filter(until -> !until.isAfter(time.now())).isPresent();
            if (order.kind() == Kind.NONE || over) {
                return;
            }
            engine.order(order);
            if (order.kind() == Kind.DRAINED) {
                events.publish(
                        Event.Severity.WARNING,
                        "PoolStaysDrained",
                        POOL,
                        "the pool was drained at " + order.since()
                                + " and stays so over this start; 'pool drain --undo' fills it again",
                        Map.of());
            } else {
                events.info("PoolStaysWarm", POOL, "keeps " + order.idle() + " idle, as it was told before this start");
            }
        } catch (IOException | RuntimeException e) {
            events.publish(
                    Event.Severity.WARNING,
                    "PoolOrderLost",
                    POOL,
                    file + " cannot be read, so the policy alone decides: " + e.getMessage(),
                    Map.of());
        }
    }

    /** What an order would do now. */
    public Prospect prospect(StandingOrder order) {
        return engine.prospect(order);
    }

    public StandingOrder inForce() {
        return engine.order();
    }

    /** An order to make some idle and to keep them so for a while, from now on. */
    public StandingOrder warm(int idle, Duration keep) {
        Instant now = time.now();
        return StandingOrder.warm(idle, now, now.plus(keep));
    }

    /** An order to give back all that is idle, from now on. */
    public StandingOrder drained() {
        return StandingOrder.drained(time.now());
    }

    /** No order, from now on. */
    public StandingOrder none() {
        return StandingOrder.none(time.now());
    }

    /**
     * Puts an order in force.
     *
     * @throws IpamException {@code STORE_FAILED} if it could not be remembered; then nothing is other than before
     */
    public synchronized void give(StandingOrder order) {
        try {
            if (order.kind() == Kind.NONE) {
                Files.deleteIfExists(file);
            } else {
                ReplacedFile.write(file, mapper.writeValueAsBytes(written(order)));
            }
        } catch (IOException e) {
            throw new IpamException(
                    ErrorCode.STORE_FAILED,
                    "the order cannot be written down, so it is not given: " + e.getMessage(),
                    "see whether " + file.getParent() + " can be written",
                    e);
        }
        engine.order(order);
        events.info(type(order), POOL, words(order));
    }

    private static String type(StandingOrder order) {
        return switch (order.kind()) {
            case NONE -> "PoolOrderEnded";
            case WARM -> "PoolWarmed";
            case DRAINED -> "PoolDrained";
        };
    }

    private static String words(StandingOrder order) {
        return switch (order.kind()) {
            case NONE -> "the policy alone decides again";
            case WARM ->
                "makes " + order.idle() + " idle and keeps as many until "
                        + order.until().map(Instant::toString).orElse("");
            case DRAINED -> "gives back what is idle, and fills no more until 'pool drain --undo'";
        };
    }

    private ObjectNode written(StandingOrder order) {
        ObjectNode json = mapper.createObjectNode()
                .put("kind", order.kind().name())
                .put("idle", order.idle())
                .put("since", order.since().toString());
        order.until().ifPresent(until -> json.put("until", until.toString()));
        return json;
    }

    private static StandingOrder read(JsonNode json) {
        Instant since = Instant.parse(json.path("since").asText());
        return switch (Kind.valueOf(json.path("kind").asText())) {
            case NONE -> StandingOrder.none(since);
            case WARM ->
                StandingOrder.warm(
                        json.path("idle").asInt(),
                        since,
                        Instant.parse(json.path("until").asText()));
            case DRAINED -> StandingOrder.drained(since);
        };
    }
}

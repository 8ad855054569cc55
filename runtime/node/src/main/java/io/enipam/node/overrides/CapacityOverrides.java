package io.enipam.node.overrides;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.CapacityOverride.Kind;
import io.enipam.engine.pool.CapacityOverride.OverridePreview;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.TimeSource;
import io.enipam.node.overrides.CapacityOverrides.IssuedOverride;
import io.enipam.platform.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets capacity overrides and remembers them: an override is on disk before it is in force, so that a node drained for
 * a repair stays drained when its daemon restarts. Its result is stored as well: a completed warm-up is not repeated,
 * and its end is reported. Thread-safe.
 */
public final class CapacityOverrides {
    private static final String POOL = "pool";
    /** How long the results of a warm-up are kept, whatever the watermarks are. */
    private static final Duration WARM_UP_KEPT = Duration.ofMinutes(30);

    private final IpamEngine engine;
    private final OverrideFile file;
    private final TimeSource time;
    private final EventSink events;
    private final Executor writing;
    private IssuedOverride last; // by this

    /** @param writing runs disk writes beside the engine, one after the other */
    public CapacityOverrides(IpamEngine engine, Path file, TimeSource time, EventSink events, Executor writing) {
        this.engine = engine;
        this.file = new OverrideFile(file);
        this.time = time;
        this.events = events;
        this.writing = writing;
        this.last = new IssuedOverride(CapacityOverride.none(time.now()), "");
    }

    /** Restores the override from before a restart; none applies if it cannot be read. Either is reported. */
    public synchronized void restore() {
        try {
            IssuedOverride given = dated(file.read().orElse(last));
            CapacityOverride order = given.order();
            if (order.until().filter(until -> !until.isAfter(time.now())).isPresent()) {
                file.write(new IssuedOverride(none(), ""));
                events.info("PoolOrderEnded", POOL, over(order) + " while no daemon ran");
            } else if (order.kind() != Kind.NONE) {
                inForce(given);
                stays(order);
            }
        } catch (IOException | RuntimeException e) {
            events.warning(
                    "PoolOrderLost",
                    POOL,
                    file.path() + " cannot be read, so the policy alone decides: " + e.getMessage());
        }
    }

    /** A warm-up that begins in the future was set by a wrong clock: it begins now, and no later start extends it. */
    private IssuedOverride dated(IssuedOverride given) throws IOException {
        CapacityOverride order = given.order();
        Instant now = time.now();
        if (order.kind() != Kind.WARM || !order.since().isAfter(now)) {
            return given;
        }
        CapacityOverride warm = CapacityOverride.warm(order.idle(), now, now.plus(order.left(now)));
        IssuedOverride dated = new IssuedOverride(order.met() ? warm.carriedOut() : warm, given.by());
        file.write(dated);
        return dated;
    }

    private void stays(CapacityOverride order) {
        if (order.kind() == Kind.DRAINED) {
            events.warning(
                    "PoolStaysDrained",
                    POOL,
                    "the pool was drained at " + order.since()
                            + " and stays so over this start; 'pool drain --undo' fills it again");
        } else {
            events.info(
                    "PoolStaysWarm",
                    POOL,
                    "keeps " + order.idle() + " idle, as it was told before this start"
                            + (order.met() ? "; they were made then, and are not made again" : ""));
        }
    }

    public CapacityOverride inForce() {
        return engine.capacityOverride();
    }

    public synchronized IssuedOverride issued() {
        CapacityOverride order = engine.capacityOverride();
        return new IssuedOverride(order, same(order, last.order()) ? last.by() : "");
    }

    /** An override that makes some resources idle and keeps them so for a while, from now on. */
    public CapacityOverride warm(int idle, Duration keep) {
        Instant now = time.now();
        return CapacityOverride.warm(idle, now, now.plus(keep));
    }

    /**
     * Terway's {@code ip_warm_up_size}: a new node gets its first pods in a burst, and makes their addresses before.
     * Applies only to the first start of a node, whose database has never been settled; a later start continues an
     * unfinished override.
     *
     * @param idle how many must be idle once; 0 for none
     * @param contents of the database when it was opened
     */
    public void warmUpOnFirstStart(int idle, ResourceDb.Contents contents) {
        boolean first = contents.node().isEmpty() && contents.leases().isEmpty();
        if (idle > 0 && first && inForce().kind() == CapacityOverride.Kind.NONE) {
            apply(warm(idle, WARM_UP_KEPT), "ip_warm_up_size");
        }
    }

    public CapacityOverride drained() {
        return CapacityOverride.drained(time.now());
    }

    public CapacityOverride none() {
        return CapacityOverride.none(time.now());
    }

    /** What {@link #apply(UnaryOperator, String)} would do. */
    public synchronized OverrideDecision preview(UnaryOperator<CapacityOverride> decide) {
        CapacityOverride before = engine.capacityOverride();
        CapacityOverride order = decide.apply(before);
        return new OverrideDecision(before, order, engine.previewOverride(order));
    }

    /**
     * Applies a decision. No other override can come in between.
     *
     * @param decide computes the new override from the present one; the same one for no change
     * @param by the author, for display
     * @throws IpamException {@code STORE_FAILED} if it could not be stored; then nothing changes
     */
    public synchronized OverrideDecision apply(UnaryOperator<CapacityOverride> decide, String by) {
        OverrideDecision decision = preview(decide);
        if (decision.changes()) {
            apply(decision.order(), by);
        }
        return decision;
    }

    /** Throws {@code STORE_FAILED} if the override could not be stored; then nothing changes. */
    public synchronized void apply(CapacityOverride order, String by) {
        IssuedOverride given = new IssuedOverride(order, by);
        try {
            file.write(given);
        } catch (IOException e) {
            throw new IpamException(
                    ErrorCode.STORE_FAILED,
                    "the order cannot be written down, so it is not given: " + e.getMessage(),
                    "see whether " + file.path().getParent() + " can be written",
                    e);
        }
        inForce(given);
        switch (order.kind()) {
            case NONE -> events.info("PoolOrderEnded", POOL, "the policy alone decides again");
            case WARM ->
                events.info(
                        "PoolWarmed",
                        POOL,
                        "makes " + order.idle() + " idle and keeps as many until "
                                + order.until().map(Instant::toString).orElse(""));
            case DRAINED ->
                events.info(
                        "PoolDrained", POOL, "gives back what is idle, and fills no more until 'pool drain --undo'");
        }
    }

    private void inForce(IssuedOverride given) {
        last = given;
        engine.capacityOverride(given.order(), change -> writing.execute(() -> became(given.order(), change)));
    }

    /** A warm-up is complete, or its time is over. */
    private synchronized void became(CapacityOverride order, CapacityOverride change) {
        if (!same(order, last.order())) {
            return; // another one is in force by now
        }
        last = new IssuedOverride(change, last.by());
        if (change.kind() == Kind.NONE) {
            events.info("PoolOrderEnded", POOL, over(order) + "; the policy alone decides again");
        } else {
            events.info(
                    "PoolIsWarm", POOL, order.idle() + " are idle, as it was told; what pods take is not made again");
        }
        try {
            file.write(last);
        } catch (IOException e) {
            events.warning(
                    "PoolOrderNotNoted",
                    POOL,
                    "what became of the order cannot be written down, so a restart within its time carries it out"
                            + " again: " + e.getMessage());
        }
    }

    /** Whether both are the same override, complete or not. */
    private static boolean same(CapacityOverride one, CapacityOverride other) {
        return one.kind() == other.kind()
                && one.idle() == other.idle()
                && one.since().equals(other.since())
                && one.until().equals(other.until());
    }

    private static String over(CapacityOverride order) {
        return "the time of 'pool warm " + order.idle() + "' was over at "
                + order.until().map(Instant::toString).orElse("");
    }

    /** An override and its author, for display; empty text if unknown. */
    public record IssuedOverride(CapacityOverride order, String by) {}

    /** A former override, the new one, which is the same if nothing changes, and its effect on the pool. */
    public record OverrideDecision(CapacityOverride before, CapacityOverride order, OverridePreview prospect) {
        public boolean changes() {
            return !order.equals(before);
        }
    }

    /** The override in force, as JSON in a file of its own. For one thread at a time. */
    record OverrideFile(Path path) {
        private static final JsonMapper MAPPER = new JsonMapper();

        /** The stored override, if there is one; throws RuntimeException if its contents are invalid. */
        Optional<IssuedOverride> read() throws IOException {
            if (!Files.exists(path)) {
                return Optional.empty();
            }
            JsonNode json = MAPPER.readTree(path.toFile());
            return Optional.of(new IssuedOverride(order(json), json.path("by").asText("")));
        }

        /** Stores an override; without one, removes the file. The change is on disk when this returns. */
        void write(IssuedOverride given) throws IOException {
            CapacityOverride order = given.order();
            if (order.kind() == Kind.NONE) {
                AtomicFile.delete(path);
                return;
            }
            ObjectNode json = MAPPER.createObjectNode()
                    .put("kind", order.kind().name())
                    .put("idle", order.idle())
                    .put("since", order.since().toString())
                    .put("met", order.met())
                    .put("by", given.by());
            order.until().ifPresent(until -> json.put("until", until.toString()));
            AtomicFile.write(path, MAPPER.writeValueAsBytes(json));
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

    /**
     * A thread that stores results of overrides, one after the other. {@link #close()} returns after all submitted writes,
     * and interrupts none: without the stored result the next start would repeat a completed override. Thread-safe.
     */
    public static final class FlushingExecutor implements Executor, AutoCloseable {
        private static final Logger LOG = LoggerFactory.getLogger(FlushingExecutor.class);
        /** A slower disk would delay the daemon's shutdown. */
        private static final long LONGEST_SECONDS = 10;

        private final ExecutorService thread = Executors.newSingleThreadExecutor(DaemonThreads.named("orders"));

        @Override
        public void execute(Runnable write) {
            try {
                thread.execute(write);
            } catch (RejectedExecutionException e) {
                LOG.warn("what became of an order came after the end, and is not noted", e);
            }
        }

        @Override
        public void close() {
            thread.shutdown();
            try {
                if (!thread.awaitTermination(LONGEST_SECONDS, TimeUnit.SECONDS)) {
                    LOG.warn(
                            "the disk takes longer than {} s: what became of an order may not be noted",
                            LONGEST_SECONDS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}

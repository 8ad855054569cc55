package io.enipam.pluginhost.endpoint;

import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.concurrent.KeyedQueue;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.pluginhost.extension.Extensions.PartListener;
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import io.enipam.sdk.Endpoint;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;

/**
 * The endpoints of all running parts. One that cannot be opened is tried again with back-off; the socket of a part that is
 * closed is closed before that of the next one is opened. Thread-safe.
 */
public final class Endpoints implements PartListener {
    private static final Duration OPEN = Duration.ofSeconds(10);
    private static final Backoff BACKOFF =
            Backoff.doubling(Duration.ofSeconds(1), Duration.ofMinutes(1)).spread(0.2);

    private final TimeSource time;
    private final Scheduler engine;
    private final EventSink events;
    private final RandomGenerator random;
    /** Opening and closing, by extension. */
    private final KeyedQueue<String> steps = new KeyedQueue<>();

    private final Map<String, Served> byExtension = new ConcurrentHashMap<>();

    /**
     * @param engine for the pauses between tries
     * @param random spreads them
     */
    public Endpoints(TimeSource time, Scheduler engine, EventSink events, RandomGenerator random) {
        this.time = time;
        this.engine = engine;
        this.events = events;
        this.random = random;
    }

    /** What an endpoint does. */
    public enum State {
        OPENING,
        LISTENING,
        /** It could not be opened, and is tried again. */
        FAILED
    }

    /**
     * What a server does and has done since it was opened.
     *
     * @param most connections that may be open
     * @param refused connections beyond that, and requests that are none, too large or too slow
     */
    public record Counts(int most, long open, long accepted, long refused, long requests) {
        static final Counts NONE = new Counts(0, 0, 0, 0, 0);
    }

    /**
     * An endpoint at one moment.
     *
     * @param address {@code unix:PATH} or {@code 127.0.0.1:PORT}; empty text while it is not known
     * @param since when it came into this state
     * @param cause why it failed at the last try; empty text if it did not
     */
    public record EndpointView(
            String plugin, String extension, String address, State state, Instant since, String cause, Counts counts) {
        /** Whether it has as many connections as it may have. */
        public boolean full() {
            return counts.most() > 0 && counts.open() >= counts.most();
        }

        public long open() {
            return counts.open();
        }

        public long accepted() {
            return counts.accepted();
        }

        public long refused() {
            return counts.refused();
        }

        public long requests() {
            return counts.requests();
        }
    }

    /** The endpoint of one running part. By its step, but for reading. */
    private static final class Served {
        private final RunningPart part;
        private volatile State state = State.OPENING;
        private volatile Instant since;
        private volatile String cause = "";
        private volatile Optional<EndpointServer> server = Optional.empty();

        Served(RunningPart part, Instant since) {
            this.part = part;
            this.since = since;
        }

        void become(State next, String why, Instant now) {
            since = now;
            cause = why;
            state = next;
        }
    }

    @Override
    public void opened(RunningPart part) {
        if (part.part() instanceof Endpoint endpoint) {
            Served served = new Served(part, time.now());
            byExtension.put(part.name(), served);
            steps.run(part.name(), () -> open(served, endpoint, 1));
        }
    }

    @Override
    public void closing(RunningPart part) {
        Served served = byExtension.remove(part.name());
        if (served != null) {
            steps.run(
                    part.name(),
                    () -> served.server
                            .map(EndpointServer::end)
                            .orElseGet(() -> CompletableFuture.completedFuture(null)));
        }
    }

    private CompletableFuture<Void> open(Served served, Endpoint endpoint, int attempt) {
        RunningPart part = served.part;
        if (byExtension.get(part.name()) != served) {
            return CompletableFuture.completedFuture(null);
        }
        return part.calls()
                .open("endpoint", OPEN, () -> EndpointServer.open(part, endpoint, time), late -> late.end())
                .handle((server, failure) -> {
                    if (failure == null) {
                        served.server = Optional.of(server);
                        served.become(State.LISTENING, "", time.now());
                    } else {
                        failed(
                                served,
                                endpoint,
                                attempt,
                                String.valueOf(Stages.cause(failure).getMessage()));
                    }
                    return null;
                });
    }

    private void failed(Served served, Endpoint endpoint, int attempt, String why) {
        if (!why.equals(served.cause)) {
            events.error(
                    "ExtensionFailed",
                    served.part.name(),
                    "the endpoint of extension " + served.part.name() + " does not listen: " + why);
        }
        served.become(State.FAILED, why, time.now());
        engine.after(
                BACKOFF.pause(attempt, random),
                () -> steps.run(served.part.name(), () -> open(served, endpoint, attempt + 1)));
    }

    /** All of them, by extension. */
    public List<EndpointView> all() {
        return new TreeMap<>(byExtension)
                .values().stream()
                        .map(served -> new EndpointView(
                                served.part.plugin(),
                                served.part.name(),
                                served.server.map(EndpointServer::address).orElse(""),
                                served.state,
                                served.since,
                                served.cause,
                                served.server.map(EndpointServer::counts).orElse(Counts.NONE)))
                        .toList();
    }
}

package io.enipam.config.dynamic;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.config.ClusterAccess;
import io.enipam.config.ConfigException;
import io.enipam.config.ConfigException.ConfigProblem;
import io.enipam.config.DaemonConfig;
import io.enipam.config.RemoteConfig;
import io.enipam.config.RemoteConfig.Overlay;
import io.enipam.config.Schema;
import io.enipam.config.dynamic.ClusterConfigClient.ConfigReply;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.port.EventSink;
import io.enipam.kubernetes.api.ApiAccess;
import io.enipam.kubernetes.node.ClusterReader;
import io.enipam.platform.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the cluster's values of this node's configuration. The start waits for them for {@link #DEADLINE} at most,
 * and then uses the last good copy. Invalid values are refused as a whole, and the former ones stay in force.
 *
 * <p>After the start one thread does all the work, so that changes are applied in order, and listeners may block.
 */
public final class DynamicConfig implements AutoCloseable {
    static final Duration DEADLINE = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(DynamicConfig.class);
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final double SPREAD = 0.2;
    private static final int SHOWN = 3;
    /** One failed read is not reported: it is a broken watch or a server that restarts. */
    private static final int FAILURES = 3;

    private final DaemonConfig files;
    private final Optional<ClusterConfigClient> word;
    private final LastGoodConfigFile copy;
    private final RandomGenerator random;
    private final ConfigProblemReporter complaints;
    private final EventSink events;
    private final LiveConfig live;
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("configuration"));

    private Optional<List<String>> services = Optional.empty();
    private RemoteConfig considered = RemoteConfig.none();
    private Optional<String> refusal = Optional.empty();
    private boolean heard;
    private int failures;

    /**
     * Determines the configuration of the start; blocks for {@link #DEADLINE} at most. Reports nothing before
     * {@link #begin}.
     *
     * @param files the configuration from files and command line
     * @param word reads the cluster's values; empty without a cluster, so that only the files count
     */
    DynamicConfig(
            DaemonConfig files,
            Optional<ClusterConfigClient> word,
            LastGoodConfigFile copy,
            RandomGenerator random,
            EventSink events) {
        this.files = files;
        this.word = word;
        this.copy = copy;
        this.random = random;
        this.events = events;
        this.complaints = new ConfigProblemReporter(events);
        this.live = new LiveConfig(word.map(this::first).orElse(files), events);
    }

    /** The same with the API server as the daemon reaches it; the last good ConfigMap is kept in a file. */
    public static DynamicConfig open(
            DaemonConfig files,
            Optional<ClusterAccess> cluster,
            Map<String, String> environment,
            String node,
            Path copy,
            EventSink events) {
        String namespace = ClusterConfigClient.namespace(
                files.get(Schema.CONFIG_NAMESPACE), environment, ApiAccess.SERVICE_ACCOUNT);
        return new DynamicConfig(
                files,
                cluster.map(access -> new ClusterConfigClient(new ClusterReader(access.calls(), node), namespace)),
                new LastGoodConfigFile(copy, node),
                new SplittableRandom(),
                events);
    }

    public LiveConfig live() {
        return live;
    }

    /** Reports the result of the start and begins to follow changes; call it once. */
    public void begin() {
        Duration interval = live.now().get(Schema.CONFIG_INTERVAL);
        live.setProblems(complaints.lines());
        complaints.tell();
        live.now()
                .remote()
                .overlay()
                .ifPresent(overlay -> events.info(
                        "ConfigChanged",
                        "config",
                        overlay + " is laid over the files: " + keys(files.differing(live.now()))));
        word.ifPresent(asked -> later(spread(heard ? interval : Collections.min(List.of(interval, SOON)))));
    }

    private DaemonConfig first(ClusterConfigClient asked) {
        try {
            ConfigReply answer = asked.ask(true).get(DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
            heard = true;
            return firstOf(answer);
        } catch (ExecutionException e) {
            return withoutAnswer(String.valueOf(
                    e.getCause() == null ? e.getMessage() : e.getCause().getMessage()));
        } catch (TimeoutException e) {
            return withoutAnswer("no answer within " + DEADLINE.toSeconds() + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return withoutAnswer("interrupted");
        }
    }

    private DaemonConfig firstOf(ConfigReply answer) {
        services = answer.services();
        Optional<Overlay> said = complaints.about(answer, word);
        if (!answer.knowsNode()) {
            return fromCopy("").orElseGet(() -> over(Optional.empty()).orElse(files));
        }
        Optional<DaemonConfig> config = over(said);
        if (config.isPresent()) {
            keep(said);
            return config.get();
        }
        return fromCopy("").orElse(files);
    }

    private DaemonConfig withoutAnswer(String why) {
        Optional<DaemonConfig> kept = fromCopy(why);
        complaints.unread(why, kept.isPresent() ? "the last good copy is in force" : "the files alone are in force");
        return kept.orElse(files);
    }

    /** The last good copy applied to the files; empty if there is none, or it does not fit the present files. */
    private Optional<DaemonConfig> fromCopy(String why) {
        try {
            Optional<Overlay> kept = copy.read();
            if (kept.isEmpty()) {
                return Optional.empty();
            }
            LOG.info("the last good copy of {} is used: {}", kept.get(), why);
            DaemonConfig config = files.withRemote(outside(kept));
            considered = considered.overlay().isPresent() ? considered : outside(kept);
            return Optional.of(config);
        } catch (ConfigException e) {
            complaints.copyIsWrong(words(e));
        } catch (IOException e) {
            complaints.copyIsWrong(String.valueOf(e.getMessage()));
        }
        return Optional.empty();
    }

    private RemoteConfig outside(Optional<Overlay> overlay) {
        return new RemoteConfig(overlay, services.orElse(List.of()));
    }

    /** The files with these values applied; empty if the result is refused. */
    private Optional<DaemonConfig> over(Optional<Overlay> overlay) {
        considered = outside(overlay);
        try {
            DaemonConfig next = files.withRemote(considered);
            refusal = Optional.empty();
            complaints.accepted();
            return Optional.of(next);
        } catch (ConfigException e) {
            refusal = Optional.of(words(e));
            complaints.refused(overlay.map(Overlay::source).orElse("the configuration"), words(e));
            return Optional.empty();
        }
    }

    private void later(Duration pause) {
        try {
            thread.schedule(this::look, pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("closed");
        }
    }

    private Duration spread(Duration interval) {
        return Duration.ofMillis((long) (interval.toMillis() * (1 - SPREAD + 2 * SPREAD * random.nextDouble())));
    }

    /** Reads the cluster's values, applies them, and schedules the next read. */
    private void look() {
        boolean which = services.isEmpty();
        word.orElseThrow().ask(which).whenComplete((answer, error) -> {
            try {
                thread.execute(() -> {
                    try {
                        if (error == null) {
                            goBy(answer);
                        } else {
                            failed(error);
                        }
                        live.retryFollowers();
                        live.setProblems(complaints.lines());
                        complaints.tell();
                    } catch (RuntimeException e) {
                        LOG.error("what the cluster says of the configuration could not be followed", e);
                    } finally {
                        later(spread(live.now().get(Schema.CONFIG_INTERVAL)));
                    }
                });
            } catch (RejectedExecutionException e) {
                LOG.debug("closed while the cluster was asked");
            }
        });
    }

    private void failed(Throwable error) {
        failures++;
        if (failures >= FAILURES) {
            Throwable cause = error.getCause() == null ? error : error.getCause();
            complaints.unread(String.valueOf(cause.getMessage()), "what was in force stays");
        }
    }

    private void goBy(ConfigReply answer) {
        failures = 0;
        complaints.read();
        services = answer.services().or(() -> services);
        Optional<Overlay> said = complaints.about(answer, word);
        Optional<Overlay> wanted =
                answer.knowsNode() ? said : live.now().remote().overlay();
        if (outside(wanted).equals(considered)
                && (refusal.isPresent() || considered.equals(live.now().remote()))) {
            return;
        }
        over(wanted).ifPresentOrElse(next -> turn(next, wanted), this::turnServices);
    }

    /** A refused part does not prevent the other values from taking effect. */
    private void turnServices() {
        RemoteConfig known = live.now().remote().withServiceCidrs(considered.serviceCidrs());
        if (!known.equals(live.now().remote())) {
            live.apply(files.withRemote(known));
        }
    }

    private void turn(DaemonConfig next, Optional<Overlay> overlay) {
        DaemonConfig before = live.now();
        live.apply(next);
        keep(overlay);
        List<String> changed = before.differing(live.now());
        List<String> waiting =
                live.now().pending().stream().map(DaemonConfig.Pending::key).toList();
        if (changed.isEmpty()
                && waiting.isEmpty()
                && overlay.equals(before.remote().overlay())) {
            return;
        }
        events.info(
                "ConfigChanged",
                "config",
                overlay.map(map -> map + " is laid over the files").orElse("the files alone are in force")
                        + (changed.isEmpty() ? "; nothing changes at once" : ": changed " + keys(changed))
                        + (waiting.isEmpty() ? "" : "; a restart is wanted for " + keys(waiting)));
    }

    private void keep(Optional<Overlay> overlay) {
        try {
            copy.keep(overlay);
        } catch (IOException e) {
            events.warning(
                    "ConfigNotKept",
                    "config",
                    "the ConfigMap could not be copied, so a start without the API server goes without it: "
                            + e.getMessage());
        }
    }

    private static String keys(List<String> keys) {
        return keys.isEmpty() ? "nothing" : String.join(", ", keys);
    }

    private static String words(ConfigException refusal) {
        List<ConfigProblem> problems = refusal.problems();
        List<String> lines = new ArrayList<>(
                problems.stream().limit(SHOWN).map(ConfigProblem::toString).toList());
        if (problems.size() > SHOWN) {
            lines.add((problems.size() - SHOWN) + " more");
        }
        return String.join("; ", lines);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    /**
     * A copy of the last ConfigMap in force, for a start without the API server. Only the daemon's user can read the file,
     * since a ConfigMap may contain confidential values. For one thread at a time.
     *
     * @param node whose configuration this is: the disk may come from another node
     */
    record LastGoodConfigFile(Path file, String node) {
        private static final JsonMapper MAPPER = new JsonMapper();

        /** Empty if there is none, or it is of another node; throws IOException if it cannot be read, or is invalid. */
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
                            json.get("source").textValue(),
                            text(json, Overlay.ENI_CONF),
                            text(json, Overlay.ENIPAM_YAML)))
                    : Optional.empty();
        }

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
}

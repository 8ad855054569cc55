package io.enipam.frontends.rpc;

import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.config.dynamic.LiveConfig;
import io.enipam.diagnostics.doctor.Doctor;
import io.enipam.diagnostics.doctor.StartLog;
import io.enipam.diagnostics.explain.Explainer;
import io.enipam.diagnostics.readiness.Troubles;
import io.enipam.diagnostics.sources.compare.SourceComparison;
import io.enipam.diagnostics.trace.TraceQuery;
import io.enipam.diagnostics.trace.TraceRing;
import io.enipam.emulator.control.CloudControl;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.model.Event;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniSweeper;
import io.enipam.engine.port.LeaseHistory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.trace.TraceSnapshot;
import io.enipam.events.EventRing;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.node.overrides.CapacityOverrides;
import io.enipam.node.pods.NodePods;
import io.enipam.observability.history.History;
import io.enipam.observability.history.Sample;
import io.enipam.pluginhost.PluginServices;
import io.enipam.recovery.DatabaseService;
import io.enipam.sdk.Role;
import io.enipam.store.history.RecordFormat;
import io.enipam.store.history.RecordLog;
import io.enipam.store.history.ReflectedFormat;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What the services of the control socket read and change.
 *
 * @param engine where there is no node, one without a pool
 * @param troubles what is wrong with the daemon now
 * @param node what only the daemon of a node has; empty in role CLUSTER
 */
public record ServiceContext(
        DaemonInfo info,
        LiveConfig config,
        IpamEngine engine,
        PluginServices plugins,
        Troubles troubles,
        Database database,
        Diagnosis diagnosis,
        Optional<Node> node) {
    /**
     * What a daemon is, for status and version.
     *
     * @param node the node's name; in role CLUSTER that of the replica
     * @param root where the daemon keeps its files
     * @param sandbox whether the daemon lives and dies with the shell that started it
     * @param time the clock of its uptime
     * @param startedNanos when it started, by that clock
     */
    public record DaemonInfo(
            String node,
            Role role,
            String version,
            String root,
            boolean emulated,
            boolean sandbox,
            TimeSource time,
            long startedNanos) {
        public Duration uptime() {
            return Duration.ofNanos(time.nanoTime() - startedNanos);
        }
    }

    /**
     * The node: its pods and what connects them, its cloud, and what every source says of both.
     *
     * @param cluster what can be seen of the cluster; empty where there is none
     * @param overrides what an operator ordered of the pool over what its policy wants
     * @param comparing what every source says, and where they differ
     */
    public record Node(
            NodePods pods,
            NodeDatapath kernel,
            Optional<ClusterInspector> cluster,
            CapacityOverrides overrides,
            Cloud cloud,
            History history,
            SourceComparison comparing,
            Explainer explainer) {}

    /**
     * @param trouble why the cloud cannot be used now; empty if it can
     * @param emulated controls the emulated cloud; throws IpamException if the cloud is a real one, or not up yet
     */
    public record Cloud(
            EniDirectory enis,
            EniSweeper sweeper,
            Supplier<Optional<String>> trouble,
            Supplier<CloudControl> emulated) {}

    /**
     * @param tools behind the commands of {@code db}
     * @param history of the leases that ended
     */
    public record Database(ResourceDb db, DatabaseService tools, LeaseHistory history) {}

    /**
     * @param past events and traces that are not in their rings any more
     * @param calls of the cloud
     * @param lastRun of this daemon, before the present one; empty if there was none
     */
    public record Diagnosis(
            EventRing events,
            TraceRing traces,
            Past past,
            ApiCallLog calls,
            Doctor doctor,
            Optional<LastRun> lastRun) {}

    /**
     * How the run before this one ended, and what this one found of it.
     *
     * @param stopped when it stopped in order; empty if it was killed, or crashed
     * @param leases that it had acknowledged: they are on disk before they are
     * @param unfinished operations of the cloud that it had begun, which this one follows
     */
    public record LastRun(Instant since, Optional<Instant> stopped, int leases, int unfinished) {
        public static Optional<LastRun> of(StartLog.Starts starts, ResourceDb.Contents found) {
            return starts.lastRun()
                    .map(run -> new LastRun(
                            run.since(),
                            run.stopped(),
                            found.leases().size(),
                            found.operations().size()));
        }
    }

    /** What happened, also in former runs of the daemon, in files. */
    public record Past(RecordLog<Event> events, RecordLog<TraceSnapshot> traces, RecordLog<Sample> samples) {
        public static final RecordFormat<Event> EVENTS =
                new ReflectedFormat<>(Event.class, "events", TraceQuery::keys, Event::at, Event::at);
        public static final RecordFormat<TraceSnapshot> TRACES = new ReflectedFormat<>(
                TraceSnapshot.class,
                "traces",
                TraceQuery::keys,
                TraceSnapshot::at,
                trace -> trace.at().plus(trace.took().orElse(Duration.ZERO)));
        public static final RecordFormat<Sample> SAMPLES =
                new ReflectedFormat<>(Sample.class, "samples", sample -> Stream.empty(), Sample::at, Sample::at);

        /** By their names. */
        public Map<String, RecordLog.State> states() {
            return Map.of("events", events.state(), "traces", traces.state(), "samples", samples.state());
        }
    }

    TimeSource time() {
        return info.time();
    }
}

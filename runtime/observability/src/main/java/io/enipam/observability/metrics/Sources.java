package io.enipam.observability.metrics;

import io.enipam.engine.IpamEngine;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.LeaseHistory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.TimeSource;
import io.enipam.events.EventRing.EventCounts;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.observability.history.Meters;
import io.enipam.pluginhost.PluginReport;
import io.enipam.pluginhost.extension.Voting.BallotView;
import io.enipam.pluginhost.operator.PluginSignals;
import io.enipam.store.history.RecordLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * All sources of a scrape.
 *
 * @param cloud with the pool; empty if the daemon has none
 * @param cluster the API server; empty if the daemon does not use it
 */
public record Sources(
        Daemon daemon,
        TimeSource time,
        IpamEngine engine,
        Database database,
        Meters meters,
        Optional<Cloud> cloud,
        Optional<ClusterInspector> cluster,
        Plugins plugins) {
    /**
     * @param ballots the claims on them, of the host that leads
     * @param metrics that plugins show of themselves
     */
    public record Plugins(
            Supplier<List<PluginReport>> reports,
            Supplier<List<BallotView>> ballots,
            Supplier<List<PluginSignals.Metric>> metrics) {}

    /**
     * @param ready whether ADD is served
     * @param leads whether this host leads those that share its tables
     */
    public record Daemon(String version, EventCounts events, BooleanSupplier ready, BooleanSupplier leads) {}

    /**
     * @param directory of its files
     * @param history of the leases that ended
     * @param records what is kept of what happened, by its name
     */
    public record Database(
            ResourceDb db,
            Path directory,
            DirectorySize size,
            LeaseHistory history,
            Supplier<Map<String, RecordLog.State>> records) {}

    /** Computes the total size of a directory's files, in bytes. */
    @FunctionalInterface
    public interface DirectorySize {
        long of(Path directory) throws IOException;
    }

    /** @param usable whether it can be used now, or no address comes from it */
    public record Cloud(EniDirectory enis, BooleanSupplier usable) {}

    /** All metrics but those of the scrape itself, in the order of the reference. */
    List<MetricGroup> groups() {
        return cloud.isPresent()
                ? ofNode()
                : List.of(
                        DaemonMetrics.daemon(daemon, engine),
                        DaemonMetrics.database(database, meters),
                        DaemonMetrics.records(),
                        CloudMetrics.cloud(cloud),
                        PluginMetrics.plugins(plugins.metrics()),
                        PluginMetrics.ballots(time));
    }

    private List<MetricGroup> ofNode() {
        return List.of(
                DaemonMetrics.daemon(daemon, engine),
                DaemonMetrics.pool(engine),
                DaemonMetrics.calls(meters),
                DaemonMetrics.database(database, meters),
                DaemonMetrics.leaseHistory(),
                DaemonMetrics.records(),
                CloudMetrics.enis(),
                CloudMetrics.cloud(cloud),
                CloudMetrics.apiServer(time),
                PluginMetrics.plugins(plugins.metrics()),
                PluginMetrics.ballots(time),
                CloudMetrics.terway(this));
    }
}

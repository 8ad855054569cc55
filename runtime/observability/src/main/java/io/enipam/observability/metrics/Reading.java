package io.enipam.observability.metrics;

import io.enipam.aliyun.calls.ApiCallLog.ApiQuotaStatus;
import io.enipam.engine.pool.PoolSummary;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.LeaseHistory;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import io.enipam.observability.history.Meters;
import io.enipam.pluginhost.PluginReport;
import io.enipam.pluginhost.extension.Voting.BallotView;
import io.enipam.store.history.RecordLog;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Values that several metrics of one scrape share, read once, so that the pool's lock is taken once and the metrics
 * agree. Not thread-safe: belongs to one scrape.
 */
final class Reading {
    private final Supplier<PoolSummary> pool;
    private final Supplier<List<EniDirectory.Eni>> enis;
    private final Supplier<List<ApiQuotaStatus>> calls;
    private final Supplier<Meters.Totals> totals;
    private final Supplier<Optional<ClusterState>> cluster;
    private final Supplier<List<PluginReport>> plugins;
    private final Supplier<List<BallotView>> ballots;
    private final Supplier<LeaseHistory.State> history;
    private final Supplier<Map<String, RecordLog.State>> records;

    Reading(Sources sources) {
        pool = once(sources.engine()::poolSummary);
        enis = once(() -> sources.cloud().map(cloud -> cloud.enis().enis()).orElse(List.of()));
        calls = once(sources.meters().cloud()::quotaStatus);
        totals = once(sources.meters()::totals);
        cluster = once(() -> sources.cluster().map(ClusterInspector::state));
        plugins = once(sources.plugins().reports());
        ballots = once(sources.plugins().ballots());
        history = once(sources.database().history()::state);
        records = once(sources.database().records());
    }

    private static <T> Supplier<T> once(Supplier<T> source) {
        return new Supplier<>() {
            private Optional<T> read = Optional.empty();

            @Override
            public T get() {
                if (read.isEmpty()) {
                    read = Optional.of(source.get());
                }
                return read.get();
            }
        };
    }

    PoolSummary pool() {
        return pool.get();
    }

    List<EniDirectory.Eni> enis() {
        return enis.get();
    }

    List<ApiQuotaStatus> calls() {
        return calls.get();
    }

    Meters.Totals totals() {
        return totals.get();
    }

    /** The API server; empty if the daemon does not use it. */
    Optional<ClusterState> cluster() {
        return cluster.get();
    }

    List<PluginReport> plugins() {
        return plugins.get();
    }

    List<BallotView> ballots() {
        return ballots.get();
    }

    /** The leases that ended. */
    LeaseHistory.State history() {
        return history.get();
    }

    /** What outlives the daemon, by its kind. */
    Map<String, RecordLog.State> records() {
        return records.get();
    }
}

package io.enipam.observability.metrics;

import static io.enipam.observability.metrics.Metric.counter;
import static io.enipam.observability.metrics.Metric.gauge;
import static io.enipam.observability.metrics.Metric.histogram;
import static io.enipam.observability.metrics.Metric.info;
import static io.enipam.observability.metrics.MetricGroup.lower;
import static io.enipam.observability.metrics.Sheet.Unit.SECONDS;

import io.enipam.engine.EngineStatus;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.observability.history.Meters;
import io.enipam.pluginhost.PluginHost.BuiltIns;
import io.enipam.pluginhost.PluginReport;
import io.enipam.sdk.ResourceState;
import java.nio.file.Files;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The metrics of the daemon, its pool, its calls, its database and its plugins. */
final class DaemonMetrics {
    private static final int MOST_PLUGINS = 64;

    private DaemonMetrics() {}

    /** Version, readiness and events of the daemon. */
    static MetricGroup daemon(Sources.Daemon daemon, IpamEngine engine) {
        return new MetricGroup("daemon")
                .with(
                        info("enipam_build_info", "Which build this is, and on which Java it runs.", "version", "java"),
                        (out, now) ->
                                out.put(1, daemon.version(), Runtime.version().toString()))
                .with(
                        gauge("enipam_ready", "1 while ADD is served, as /readyz says it, else 0."),
                        (out, now) -> out.put(daemon.ready().getAsBoolean()))
                .with(gauge("enipam_engine_phase", "1 for the phase that the engine is in.", "phase"), (out, now) -> {
                    EngineStatus.Phase current = engine.status().phase();
                    for (EngineStatus.Phase phase : EngineStatus.Phase.values()) {
                        out.put(phase == current, lower(phase));
                    }
                })
                .with(
                        counter(
                                "enipam_events_total",
                                "What 'enipam events' tells, by severity and type; rare types as 'other'.",
                                "severity",
                                "type"),
                        (out, now) -> daemon.events()
                                .all()
                                .forEach((key, count) -> out.put(count, lower(key.severity()), key.type())));
    }

    /** The pool, from one view of it and its pending work, as in {@code status}. */
    static MetricGroup pool(IpamEngine engine) {
        return new MetricGroup("pool")
                .with(
                        gauge("enipam_pool_resources", "Resources in the pool, by state.", "state"),
                        (out, now) -> now.pool().counts().forEach((state, count) -> out.put(count, lower(state))))
                .with(
                        gauge(
                                "enipam_pool_capacity",
                                "The most resources that the pool may hold, whatever their state."),
                        (out, now) -> out.put(now.pool().capacity()))
                .with(
                        gauge("enipam_pool_min_idle", "Lower watermark: resources are made when fewer are idle."),
                        (out, now) -> out.put(now.pool().minIdle()))
                .with(
                        gauge("enipam_pool_max_idle", "Upper watermark: resources are given back when more are idle."),
                        (out, now) -> out.put(now.pool().maxIdle()))
                .with(
                        gauge("enipam_pool_waiting", "ADDs that wait for a resource in the pool's queue."),
                        (out, now) -> out.put(now.pool().waiting()))
                .with(
                        gauge("enipam_leases", "Resources that a pod has."),
                        (out, now) -> out.put(now.pool().entries().stream()
                                .filter(entry -> entry.owner().isPresent())
                                .count()))
                .with(
                        gauge("enipam_reservations", "Idle resources that are kept for the successor of a pod."),
                        (out, now) -> out.put(now.pool().count(ResourceState.RESERVED)))
                .with(
                        gauge(
                                "enipam_pool_create_failing",
                                "1 while the last resource that was asked for could not be made, else 0."),
                        (out, now) ->
                                out.put(engine.pendingWork().createTrouble().isPresent()))
                .with(
                        gauge("enipam_pool_dispose_failing", "Resources whose way back failed and is tried again."),
                        (out, now) -> out.put(engine.pendingWork().disposals().size()))
                .with(
                        gauge(
                                "enipam_pool_order",
                                "1 for the standing order in force: what the pool was told over its policy.",
                                "order"),
                        (out, now) -> {
                            CapacityOverride.Kind order =
                                    engine.capacityOverride().kind();
                            for (CapacityOverride.Kind kind : CapacityOverride.Kind.values()) {
                                out.put(kind == order, lower(kind));
                            }
                        });
    }

    /** ADD and DEL of every caller in the daemon, garbage collection and pool reconcile. */
    static MetricGroup calls(Meters meters) {
        return new MetricGroup("calls")
                .with(
                        histogram(
                                "enipam_cni_duration_seconds",
                                "How long ADD and DEL took in the engine.",
                                "command",
                                "outcome"),
                        (out, now) -> {
                            out.put(meters.timingOfAdd().worked(), SECONDS, "ADD", "ok");
                            out.put(meters.timingOfAdd().failed(), SECONDS, "ADD", "error");
                            out.put(meters.timingOfDel().worked(), SECONDS, "DEL", "ok");
                            out.put(meters.timingOfDel().failed(), SECONDS, "DEL", "error");
                        })
                .with(
                        counter(
                                "enipam_cni_failures_total",
                                "ADDs and DELs that failed, by the engine's error code.",
                                "command",
                                "code"),
                        (out, now) -> {
                            now.totals().counts().add().failures().forEach((code, n) -> out.put(n, "ADD", code));
                            now.totals().counts().del().failures().forEach((code, n) -> out.put(n, "DEL", code));
                        })
                .with(gauge("enipam_cni_in_flight", "ADDs and DELs under way.", "command"), (out, now) -> {
                    out.put(now.totals().counts().add().inFlight(), "ADD");
                    out.put(now.totals().counts().del().inFlight(), "DEL");
                })
                .with(
                        counter(
                                "enipam_cni_calls_total",
                                "Calls of container runtimes that were answered, by the CNI's code; 0 is success.",
                                "command",
                                "code"),
                        (out, now) -> meters.cni()
                                .counts()
                                .forEach(
                                        (kind, count) -> out.put(count, kind.command(), Integer.toString(kind.code()))))
                .with(
                        counter("enipam_gc_runs_total", "Garbage collections that were no dry run."),
                        (out, now) -> out.put(now.totals().counts().gc().runs()))
                .with(
                        counter(
                                "enipam_gc_collected_total",
                                "Leases that garbage collections ended: their pods were gone."),
                        (out, now) -> out.put(now.totals().counts().gc().collected()))
                .with(
                        counter("enipam_reconcile_runs_total", "Comparisons of the pool with what the cloud has."),
                        (out, now) -> out.put(meters.reconciles().runs()))
                .with(
                        counter(
                                "enipam_reconcile_findings_total",
                                "What these comparisons found that did not fit, by kind.",
                                "kind"),
                        (out, now) ->
                                meters.reconciles().findings().forEach((kind, count) -> out.put(count, lower(kind))))
                .with(
                        gauge(
                                "enipam_reconcile_last_problems",
                                "What stood in the way of the last comparison, such as a cloud that is away."),
                        (out, now) -> out.put(meters.reconciles()
                                .last()
                                .map(last -> last.problems().size())
                                .orElse(0)));
    }

    /** The database and its disk. */
    static MetricGroup database(Sources.Database database, Meters meters) {
        return new MetricGroup("database")
                .with(
                        gauge(
                                "enipam_db_writable",
                                "1 while the database can be written, else 0: then no lease is given."),
                        (out, now) -> out.put(database.db().trouble().isEmpty()))
                .with(
                        histogram(
                                "enipam_db_commit_duration_seconds",
                                "From the call until the changes were durable.",
                                "outcome"),
                        (out, now) -> {
                            out.put(meters.timingOfCommits().worked(), SECONDS, "ok");
                            out.put(meters.timingOfCommits().failed(), SECONDS, "error");
                        })
                .with(
                        histogram(
                                "enipam_db_fsync_duration_seconds",
                                "How long the disk took to force a file, whether it worked or not."),
                        (out, now) -> out.put(meters.forces().snapshot(), SECONDS))
                // last: reading it throws if the disk is broken
                .with(
                        gauge("enipam_db_size_bytes", "Bytes of the database's files."),
                        (out, now) -> out.put(database.size().of(database.directory())))
                .with(
                        gauge(
                                "enipam_db_filesystem_free_bytes",
                                "Bytes that the daemon may still write on the database's file system."),
                        (out, now) ->
                                out.put(Files.getFileStore(database.directory()).getUsableSpace()));
    }

    /** The installed plugins, without the built-in parts. */
    static MetricGroup plugins(Supplier<List<PluginReport>> plugins) {
        Supplier<Stream<PluginReport>> installed = () -> plugins.get().stream()
                .filter(plugin -> !plugin.id().equals(BuiltIns.ID))
                .limit(MOST_PLUGINS);
        return new MetricGroup("plugins")
                .with(
                        gauge("enipam_plugin_state", "1 for the state that a plugin is in.", "plugin", "state"),
                        (out, now) -> installed.get().forEach(plugin -> {
                            for (PluginReport.State state : PluginReport.State.values()) {
                                out.put(plugin.state() == state, plugin.id(), lower(state));
                            }
                        }))
                .with(
                        counter("enipam_plugin_calls_total", "Calls that a plugin was given.", "plugin"),
                        (out, now) -> installed
                                .get()
                                .forEach(plugin ->
                                        out.put(plugin.counts().calls().made(), plugin.id())))
                .with(
                        counter(
                                "enipam_plugin_call_failures_total",
                                "Calls that threw (failed), answered nonsense (rejected), gave no answer in time (late) or were not made"
                                        + " because of that (skipped).",
                                "plugin",
                                "reason"),
                        (out, now) -> installed.get().forEach(plugin -> {
                            out.put(plugin.counts().calls().failed(), plugin.id(), "failed");
                            out.put(plugin.counts().calls().rejected(), plugin.id(), "rejected");
                            out.put(plugin.counts().calls().late(), plugin.id(), "late");
                            out.put(plugin.counts().calls().skipped(), plugin.id(), "skipped");
                        }))
                .with(
                        gauge("enipam_plugin_overdue_calls", "Calls under way beyond their deadline.", "plugin"),
                        (out, now) -> installed
                                .get()
                                .forEach(plugin ->
                                        out.put(plugin.counts().calls().overdue(), plugin.id())));
    }
}

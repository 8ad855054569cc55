package io.enipam.observability.metrics;

import static io.enipam.observability.metrics.MetricGroup.lower;
import static io.enipam.observability.metrics.MetricGroup.oneOf;
import static io.enipam.observability.metrics.Sheet.Unit.SECONDS;

import io.enipam.engine.IpamEngine;
import io.enipam.observability.history.Meters;
import io.enipam.observability.metrics.Metric.Kind;
import io.enipam.sdk.ResourceState;
import java.nio.file.Files;

/** The metrics of the daemon, its pool, its calls and its database. */
final class DaemonMetrics {
    private DaemonMetrics() {}

    static MetricGroup daemon(Sources.Daemon daemon, IpamEngine engine) {
        return new MetricGroup("daemon")
                .with(
                        Kind.INFO,
                        "enipam_build_info{version, java}",
                        "Which build this is, and on which Java it runs.",
                        (out, now) ->
                                out.put(1, daemon.version(), Runtime.version().toString()))
                .gauge(
                        "enipam_ready",
                        "1 while ADD is served, as /readyz says it, else 0.",
                        (out, now) -> out.put(daemon.ready().getAsBoolean()))
                .gauge(
                        "enipam_leads",
                        "1 while this daemon leads those that share its tables, as one without others always does,"
                                + " else 0.",
                        (out, now) -> out.put(daemon.leads().getAsBoolean()))
                .gauge(
                        "enipam_engine_phase{phase}",
                        "1 for the phase that the engine is in.",
                        (out, now) -> oneOf(out, engine.status().phase()))
                .counter(
                        "enipam_events_total{severity, type}",
                        "What 'enipam events' tells, by severity and type; rare types as 'other'.",
                        (out, now) -> daemon.events()
                                .all()
                                .forEach((key, count) -> out.put(count, lower(key.severity()), key.type())));
    }

    /** The pool, from one summary of it and its pending work, as in {@code status}. */
    static MetricGroup pool(IpamEngine engine) {
        return new MetricGroup("pool")
                .gauge(
                        "enipam_pool_resources{state}",
                        "Resources in the pool, by state.",
                        (out, now) -> now.pool().counts().forEach((state, count) -> out.put(count, lower(state))))
                .gauge(
                        "enipam_pool_capacity",
                        "The most resources that the pool may hold, whatever their state.",
                        now -> now.pool().capacity())
                .gauge(
                        "enipam_pool_min_idle",
                        "Lower watermark: resources are made when fewer are idle.",
                        now -> now.pool().minIdle())
                .gauge(
                        "enipam_pool_max_idle",
                        "Upper watermark: resources are given back when more are idle.",
                        now -> now.pool().maxIdle())
                .gauge(
                        "enipam_pool_waiting",
                        "ADDs that wait for a resource in the pool's queue.",
                        now -> now.pool().waiting())
                .gauge(
                        "enipam_leases",
                        "Resources that a pod has.",
                        now -> now.pool().leased())
                .gauge(
                        "enipam_reservations",
                        "Idle resources that are kept for the successor of a pod.",
                        now -> now.pool().count(ResourceState.RESERVED))
                .gauge(
                        "enipam_pool_create_failing",
                        "1 while the last resource that was asked for could not be made, else 0.",
                        (out, now) ->
                                out.put(engine.pendingWork().createTrouble().isPresent()))
                .gauge(
                        "enipam_pool_dispose_failing",
                        "Resources whose way back failed and is tried again.",
                        now -> engine.pendingWork().disposals().size())
                .gauge(
                        "enipam_pool_order{order}",
                        "1 for the standing order in force: what the pool was told over its policy.",
                        (out, now) -> oneOf(out, engine.capacityOverride().kind()));
    }

    /** ADD and DEL of every caller in the daemon, garbage collection and pool reconcile. */
    static MetricGroup calls(Meters meters) {
        return new MetricGroup("calls")
                .histogram(
                        "enipam_cni_duration_seconds{command, outcome}",
                        "How long ADD and DEL took in the engine.",
                        (out, now) -> {
                            out.put(meters.add().worked(), SECONDS, "ADD", "ok");
                            out.put(meters.add().failed(), SECONDS, "ADD", "error");
                            out.put(meters.del().worked(), SECONDS, "DEL", "ok");
                            out.put(meters.del().failed(), SECONDS, "DEL", "error");
                        })
                .counter(
                        "enipam_cni_failures_total{command, code}",
                        "ADDs and DELs that failed, by the engine's error code.",
                        (out, now) -> {
                            now.totals().counts().add().failures().forEach((code, n) -> out.put(n, "ADD", code));
                            now.totals().counts().del().failures().forEach((code, n) -> out.put(n, "DEL", code));
                        })
                .gauge("enipam_cni_in_flight{command}", "ADDs and DELs under way.", (out, now) -> {
                    out.put(now.totals().counts().add().inFlight(), "ADD");
                    out.put(now.totals().counts().del().inFlight(), "DEL");
                })
                .counter(
                        "enipam_cni_calls_total{command, code}",
                        "Calls of container runtimes that were answered, by the CNI's code; 0 is success.",
                        (out, now) -> meters.cni()
                                .counts()
                                .forEach((kind, count) -> out.put(count, kind.command(), "" + kind.code())))
                .counter(
                        "enipam_gc_runs_total",
                        "Garbage collections that were no dry run.",
                        now -> now.totals().counts().gc().runs())
                .counter(
                        "enipam_gc_collected_total",
                        "Leases that garbage collections ended: their pods were gone.",
                        now -> now.totals().counts().gc().collected())
                .counter(
                        "enipam_reconcile_runs_total",
                        "Comparisons of the pool with what the cloud has.",
                        now -> meters.reconciles().runs())
                .counter(
                        "enipam_reconcile_findings_total{kind}",
                        "What these comparisons found that did not fit, by kind.",
                        (out, now) -> meters.reconciles().findings().forEach((kind, n) -> out.put(n, lower(kind))))
                .gauge(
                        "enipam_reconcile_last_problems",
                        "What stood in the way of the last comparison, such as a cloud that is away.",
                        now -> meters.reconciles().last().stream()
                                .mapToInt(last -> last.problems().size())
                                .sum());
    }

    static MetricGroup database(Sources.Database database, Meters meters) {
        return new MetricGroup("database")
                .gauge(
                        "enipam_db_writable",
                        "1 while the database can be written, else 0: then no lease is given.",
                        (out, now) -> out.put(database.db().trouble().isEmpty()))
                .histogram(
                        "enipam_db_commit_duration_seconds{outcome}",
                        "From the call until the changes were durable.",
                        (out, now) -> {
                            out.put(meters.commits().worked(), SECONDS, "ok");
                            out.put(meters.commits().failed(), SECONDS, "error");
                        })
                .histogram(
                        "enipam_db_fsync_duration_seconds",
                        "How long the disk took to force a file, whether it worked or not.",
                        (out, now) -> out.put(meters.forces().snapshot(), SECONDS))
                // last: reading it throws if the disk is broken
                .gauge(
                        "enipam_db_size_bytes",
                        "Bytes of the database's files.",
                        now -> database.size().of(database.directory()))
                .gauge(
                        "enipam_db_filesystem_free_bytes",
                        "Bytes that the daemon may still write on the database's file system.",
                        now -> Files.getFileStore(database.directory()).getUsableSpace());
    }

    static MetricGroup leaseHistory() {
        return new MetricGroup("lease history")
                .gauge(
                        "enipam_lease_history_leases",
                        "Leases that ended and are remembered, for 'enipam who'.",
                        now -> now.history().leases())
                .gauge(
                        "enipam_lease_history_size_bytes",
                        "Bytes of the files that they are in.",
                        now -> now.history().bytes())
                .gauge(
                        "enipam_lease_history_complete",
                        "1 while every lease that ends is written and all that was written can be read, else 0.",
                        (out, now) -> out.put(now.history().trouble().isEmpty()));
    }

    static MetricGroup records() {
        return new MetricGroup("records")
                .gauge(
                        "enipam_records_kept{kind}",
                        "Events, traces and samples in files that outlive the daemon.",
                        (out, now) -> now.records().forEach((kind, state) -> out.put(state.records(), kind)))
                .gauge(
                        "enipam_records_size_bytes{kind}",
                        "Bytes of these files.",
                        (out, now) -> now.records().forEach((kind, state) -> out.put(state.bytes(), kind)))
                .counter(
                        "enipam_records_dropped_total{kind}",
                        "Those that are not in the files, as too many came at once or the disk refused them.",
                        (out, now) -> now.records().forEach((kind, state) -> out.put(state.dropped(), kind)))
                .gauge(
                        "enipam_records_complete{kind}",
                        "1 while the files are written and all of them can be read, else 0.",
                        (out, now) -> now.records()
                                .forEach(
                                        (kind, state) -> out.put(state.trouble().isEmpty(), kind)));
    }
}

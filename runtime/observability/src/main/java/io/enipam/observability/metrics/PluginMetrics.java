package io.enipam.observability.metrics;

import static io.enipam.observability.metrics.MetricGroup.oneOf;

import io.enipam.engine.port.TimeSource;
import io.enipam.observability.metrics.Metric.Kind;
import io.enipam.observability.metrics.MetricGroup.Reader;
import io.enipam.pluginhost.PluginHost.BuiltIns;
import io.enipam.pluginhost.PluginReport;
import io.enipam.pluginhost.controller.ControllerView;
import io.enipam.pluginhost.endpoint.Endpoints.EndpointView;
import io.enipam.pluginhost.extension.Voting.BallotView;
import io.enipam.pluginhost.operator.PluginSignals;
import io.enipam.sdk.Tally;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** The metrics of plugins, and of what their extensions run: controllers, endpoints and ballots. */
final class PluginMetrics {
    private static final int MOST_PLUGINS = 64;
    private static final int MOST_CONTROLLERS = 32;
    private static final int MOST_ENDPOINTS = 32;
    private static final int MOST_BALLOTS = 32;
    private static final Ballot OTHERS = new Ballot("other", "other");
    private static final List<String> STATES = List.of("WAITING", "ALLOCATED", "REFUSED", "WITHDRAWN");

    private PluginMetrics() {}

    /** The installed plugins, without the built-in parts. */
    static MetricGroup plugins(Supplier<List<PluginSignals.Metric>> own) {
        return new MetricGroup("plugins")
                .gauge(
                        "enipam_plugin_state{plugin, state}",
                        "1 for the state that a plugin is in.",
                        each((out, plugin) -> oneOf(out, plugin.state(), plugin.id())))
                .counter(
                        "enipam_plugin_calls_total{plugin}",
                        "Calls that a plugin was given.",
                        each((out, plugin) -> out.put(plugin.counts().calls().made(), plugin.id())))
                .counter(
                        "enipam_plugin_call_failures_total{plugin, reason}",
                        "Calls that threw (failed), answered nonsense (rejected), gave no answer in time (late) or were not made"
                                + " because of that (skipped).",
                        each((out, plugin) -> {
                            out.put(plugin.counts().calls().failed(), plugin.id(), "failed");
                            out.put(plugin.counts().calls().rejected(), plugin.id(), "rejected");
                            out.put(plugin.counts().calls().late(), plugin.id(), "late");
                            out.put(plugin.counts().calls().skipped(), plugin.id(), "skipped");
                        }))
                .gauge(
                        "enipam_plugin_overdue_calls{plugin}",
                        "Calls under way beyond their deadline.",
                        each((out, plugin) -> out.put(plugin.counts().calls().overdue(), plugin.id())))
                .gauge(
                        "enipam_controller_state{plugin, controller, state}",
                        "1 for the state that a controller of a plugin is in.",
                        eachController((out, one) -> oneOf(out, one.state(), one.plugin(), one.extension())))
                .gauge(
                        "enipam_controller_keys{plugin, controller, phase}",
                        "Keys that wait for a worker (queued), are reconciled (under_way), wait for a time (paused) or failed at last"
                                + " (failing).",
                        eachController((out, one) -> {
                            out.put(one.load().queued(), one.plugin(), one.extension(), "queued");
                            out.put(one.load().underWay(), one.plugin(), one.extension(), "under_way");
                            out.put(one.load().paused(), one.plugin(), one.extension(), "paused");
                            out.put(one.load().failing(), one.plugin(), one.extension(), "failing");
                        }))
                .counter(
                        "enipam_controller_reconciles_total{plugin, controller, result}",
                        "Reconciles by their end: nothing is left to do (done), there is something to do later (again), they"
                                + " failed (retry).",
                        eachController((out, one) -> {
                            out.put(one.counts().done(), one.plugin(), one.extension(), "done");
                            out.put(one.counts().again(), one.plugin(), one.extension(), "again");
                            out.put(one.counts().retries(), one.plugin(), one.extension(), "retry");
                        }))
                .counter(
                        "enipam_controller_reconcile_seconds_total{plugin, controller}",
                        "How long all reconciles together took, their commits included.",
                        eachController((out, one) ->
                                out.put(one.counts().took().toNanos() / 1e9, one.plugin(), one.extension())))
                .gauge(
                        "enipam_endpoint_state{plugin, endpoint, state}",
                        "1 for the state that an endpoint of a plugin is in.",
                        eachEndpoint((out, one) -> oneOf(out, one.state(), one.plugin(), one.extension())))
                .gauge(
                        "enipam_endpoint_connections{plugin, endpoint}",
                        "Connections to an endpoint that are open.",
                        eachEndpoint((out, one) -> out.put(one.open(), one.plugin(), one.extension())))
                .counter(
                        "enipam_endpoint_accepted_total{plugin, endpoint}",
                        "Connections that it has accepted since it was opened.",
                        eachEndpoint((out, one) -> out.put(one.accepted(), one.plugin(), one.extension())))
                .counter(
                        "enipam_endpoint_requests_total{plugin, endpoint}",
                        "Requests that came in on them; those of a stream are the plugin's own affair.",
                        eachEndpoint((out, one) -> out.put(one.requests(), one.plugin(), one.extension())))
                .counter(
                        "enipam_endpoint_refused_total{plugin, endpoint}",
                        "Connections beyond what may be open, and requests that were none, too large or too slow.",
                        eachEndpoint((out, one) -> out.put(one.refused(), one.plugin(), one.extension())))
                .further((sheet, now) -> {
                    // of two plugins whose ids and meters give one name the first is shown
                    Set<String> shown = new HashSet<>();
                    own.get().stream()
                            .filter(metric -> shown.add(metric.name()))
                            .forEach(metric -> ofPlugin(sheet, metric));
                });
    }

    private static void ofPlugin(Sheet sheet, PluginSignals.Metric metric) {
        Kind kind = metric.counter() ? Kind.COUNTER : Kind.GAUGE;
        String name = metric.name() + (metric.counter() ? "_total" : "");
        Sheet.Series out = sheet.series(new Metric(name, kind, metric.help(), metric.labels()));
        metric.values().forEach((labels, value) -> out.put(value, labels.toArray(String[]::new)));
    }

    private static Reader eachController(BiConsumer<Sheet.Series, ControllerView> reader) {
        return (out, now) -> now.plugins().stream()
                .flatMap(plugin -> plugin.parts().controllers().stream())
                .limit(MOST_CONTROLLERS)
                .forEach(controller -> reader.accept(out, controller));
    }

    private static Reader eachEndpoint(BiConsumer<Sheet.Series, EndpointView> reader) {
        return (out, now) -> now.plugins().stream()
                .flatMap(plugin -> plugin.parts().endpoints().stream())
                .limit(MOST_ENDPOINTS)
                .forEach(endpoint -> reader.accept(out, endpoint));
    }

    /** A group of its own: where the tables cannot be read, no other metric of plugins is missing. */
    static MetricGroup ballots(TimeSource time) {
        return new MetricGroup("ballots")
                .gauge(
                        "enipam_ballot_claims{plugin, ballot, state}",
                        "Claims of a plugin that are on a ballot, by state, on the host that leads; beyond 32 ballots as 'other'.",
                        eachBallot((out, ballot, claims) -> {
                            for (String state : STATES) {
                                out.put(
                                        claims.stream()
                                                .filter(claim -> claim.state().equals(state))
                                                .count(),
                                        ballot.plugin(),
                                        ballot.name(),
                                        state.toLowerCase(Locale.ROOT));
                            }
                        }))
                .gauge(
                        "enipam_ballot_longest_wait_seconds{plugin, ballot}",
                        "Since when the oldest of those waits for a vote; 0 if none does.",
                        eachBallot((out, ballot, claims) -> out.put(
                                claims.stream()
                                                .filter(claim -> claim.state().equals(Tally.State.WAITING.name()))
                                                .mapToLong(claim -> Duration.between(claim.since(), time.now())
                                                        .toMillis())
                                                .reduce(0, Math::max)
                                        / 1e3,
                                ballot.plugin(),
                                ballot.name())));
    }

    private record Ballot(String plugin, String name) {}

    private interface BallotReader {
        void read(Sheet.Series out, Ballot ballot, List<BallotView> claims);
    }

    private static Reader eachBallot(BallotReader reader) {
        return (out, now) -> {
            Map<Ballot, List<BallotView>> all = new LinkedHashMap<>();
            for (BallotView claim : now.ballots()) {
                Ballot ballot = new Ballot(claim.plugin(), claim.ballot());
                boolean room = all.containsKey(ballot) || all.size() < MOST_BALLOTS;
                all.computeIfAbsent(room ? ballot : OTHERS, first -> new ArrayList<>())
                        .add(claim);
            }
            all.forEach((ballot, claims) -> reader.read(out, ballot, claims));
        };
    }

    private static Reader each(BiConsumer<Sheet.Series, PluginReport> reader) {
        return (out, now) -> now.plugins().stream()
                .filter(plugin -> !plugin.id().equals(BuiltIns.ID))
                .limit(MOST_PLUGINS)
                .forEach(plugin -> reader.accept(out, plugin));
    }
}

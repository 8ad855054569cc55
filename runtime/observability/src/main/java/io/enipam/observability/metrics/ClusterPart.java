package io.enipam.observability.metrics;

import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.api.RequestStats;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import io.enipam.node.cluster.ClusterInspector.WatchState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The API server, where it is asked; else nothing but that it is not. */
record ClusterPart(Optional<ClusterInspector> cluster, TimeSource time) implements Part {
    private static final Metric ASKED =
            Metric.gauge("enipam_apiserver_used", "1 if the API server is asked for pods, else 0.");
    private static final Metric UP =
            Metric.gauge("enipam_apiserver_watch_up", "1 while this node's pods were listed and are watched, else 0.");
    private static final Metric BREAKS =
            Metric.counter("enipam_apiserver_watch_breaks_total", "How often the watch went down.");
    private static final Metric PODS =
            Metric.gauge("enipam_apiserver_pods", "Pods of this node as the watch knows them.");
    private static final Metric AGE = Metric.gauge(
            "enipam_apiserver_last_event_age_seconds",
            "Since when the watch has said nothing; on a node where no pod changes that is long, and fine.");
    private static final Metric REQUESTS = Metric.counter(
            "enipam_apiserver_requests_total",
            "Requests to the API server, a watch once it is open; code 0 where no answer came.",
            "verb",
            "resource",
            "code");

    @Override
    public String name() {
        return "api server";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(ASKED, UP, BREAKS, PODS, AGE, REQUESTS);
    }

    @Override
    public void collect(Sheet sheet, Moment moment) {
        sheet.put(ASKED, cluster.isPresent());
        cluster.map(ClusterInspector::state).ifPresent(state -> told(sheet, state));
    }

    private void told(Sheet sheet, ClusterState state) {
        WatchState watch = state.watch();
        sheet.put(UP, watch.heard());
        sheet.put(BREAKS, watch.breaks());
        sheet.put(PODS, watch.pods());
        watch.last()
                .ifPresent(at -> sheet.put(
                        AGE, Math.max(0, Duration.between(at, time.now()).toMillis()) / 1e3));
        for (RequestStats.Count count : state.requests()) {
            // verb and resource, or one word for all the rest
            String[] request = count.request().split(" ", 2);
            sheet.put(
                    REQUESTS,
                    count.times(),
                    request[0],
                    request.length > 1 ? request[1] : request[0],
                    String.valueOf(count.code()));
        }
    }
}

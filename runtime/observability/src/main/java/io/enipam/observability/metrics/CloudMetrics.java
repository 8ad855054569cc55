package io.enipam.observability.metrics;

import static io.enipam.observability.metrics.Metric.counter;
import static io.enipam.observability.metrics.Metric.gauge;
import static io.enipam.observability.metrics.Metric.histogram;
import static io.enipam.observability.metrics.Metric.untyped;
import static io.enipam.observability.metrics.Sheet.Unit.MILLISECONDS;
import static io.enipam.observability.metrics.Sheet.Unit.SECONDS;

import io.enipam.aliyun.calls.ApiCallLog.ApiQuotaStatus;
import io.enipam.aliyun.calls.LatencyHistogram.LatencySnapshot;
import io.enipam.aliyun.eni.EniState;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.TimeSource;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** The metrics of the ENIs, the cloud and the API server, and terway's names for some of them. */
final class CloudMetrics {
    private static final String FACTORY = "eni-ip";
    private static final String ASSIGN = "AssignPrivateIpAddresses";
    /** Well above the number of any ECS instance type. */
    private static final int MOST_ENIS = 64;

    private CloudMetrics() {}

    /** The ENIs in the factory's registry. */
    static MetricGroup enis() {
        return new MetricGroup("enis")
                .with(gauge("enipam_enis", "ENIs that the factory knows, by state.", "state"), (out, now) -> {
                    List<String> known = Arrays.stream(EniState.values())
                            .map(EniState::label)
                            .toList();
                    known.forEach(state -> out.put(
                            now.enis().stream()
                                    .filter(eni -> eni.state().equals(state))
                                    .count(),
                            state));
                    long others = now.enis().stream()
                            .filter(eni -> !known.contains(eni.state()))
                            .count();
                    if (others > 0) {
                        out.put(others, "other");
                    }
                })
                .with(
                        gauge("enipam_eni_addresses", "Addresses on these ENIs, the primary ones included."),
                        (out, now) -> out.put(now.enis().stream()
                                .mapToInt(eni -> eni.addresses().size())
                                .sum()))
                .with(
                        gauge("enipam_eni_address_limit", "Addresses that these ENIs may have by the instance type."),
                        (out, now) -> out.put(now.enis().stream()
                                .mapToInt(EniDirectory.Eni::addressLimit)
                                .sum()))
                .with(
                        gauge("enipam_eni_requests_queued", "Requests for addresses that wait for an ENI's worker."),
                        (out, now) -> out.put(now.enis().stream()
                                .mapToInt(EniDirectory.Eni::queued)
                                .sum()));
    }

    /**
     * The cloud's APIs; each retry counts. API names are those that this daemon calls; the call log bounds the number
     * of error codes.
     */
    static MetricGroup cloud(Sources.Cloud cloud) {
        return new MetricGroup("cloud")
                .with(
                        gauge(
                                "enipam_cloud_usable",
                                "1 while the cloud can be used or no address comes from it, else 0."),
                        (out, now) -> out.put(cloud.usable().getAsBoolean()))
                .with(
                        counter(
                                "enipam_cloud_calls_total",
                                "Calls over the wire, each retry on its own.",
                                "api",
                                "outcome"),
                        (out, now) -> now.calls().forEach(api -> {
                            long failed = api.errors().values().stream()
                                    .mapToLong(Long::longValue)
                                    .sum();
                            out.put(api.calls() - failed, api.api(), "ok");
                            out.put(failed - api.throttles(), api.api(), "error");
                            out.put(api.throttles(), api.api(), "throttled");
                        }))
                .with(
                        counter(
                                "enipam_cloud_errors_total",
                                "Calls that failed, by the cloud's error code; rare ones as 'other'.",
                                "api",
                                "code"),
                        (out, now) -> now.calls()
                                .forEach(api -> api.errors().forEach((code, count) -> out.put(count, api.api(), code))))
                .with(
                        histogram(
                                "enipam_cloud_call_duration_seconds",
                                "How long calls took over the wire.",
                                "api",
                                "outcome"),
                        (out, now) -> now.calls().forEach(api -> {
                            counted(out, api.worked(), Sheet.Unit.SECONDS, api.api(), "ok");
                            counted(out, api.failed(), Sheet.Unit.SECONDS, api.api(), "error");
                        }))
                .with(
                        histogram(
                                "enipam_cloud_limit_wait_seconds",
                                "How long calls waited for this node's own limit.",
                                "api"),
                        (out, now) -> now.calls().forEach(api -> counted(out, api.waited(), SECONDS, api.api())))
                .with(
                        gauge("enipam_cloud_budget_limit", "Calls a minute of the clock as configured.", "api"),
                        (out, now) ->
                                now.calls().forEach(api -> out.put(api.quota().limit(), api.api())))
                .with(
                        gauge(
                                "enipam_cloud_budget_allowed",
                                "Calls a minute allowed now: fewer for a while after throttling.",
                                "api"),
                        (out, now) ->
                                now.calls().forEach(api -> out.put(api.quota().allowed(), api.api())))
                .with(
                        gauge(
                                "enipam_cloud_budget_left",
                                "Calls that may still be made in this minute of the clock.",
                                "api"),
                        (out, now) ->
                                now.calls().forEach(api -> out.put(api.quota().left(), api.api())))
                .with(
                        gauge(
                                "enipam_cloud_inhibited",
                                "1 while an API is left alone after throttling, else 0.",
                                "api"),
                        (out, now) -> now.calls()
                                .forEach(api ->
                                        out.put(api.quota().inhibitedUntil().isPresent(), api.api())));
    }

    /** An API without calls has no buckets: most nodes call half of the APIs. */
    private static void counted(Sheet.Series out, LatencySnapshot timing, Sheet.Unit unit, String... labels) {
        if (timing.count() > 0) {
            out.put(timing, unit, labels);
        }
    }

    /** The API server if the daemon uses it; otherwise only that it does not. */
    static MetricGroup apiServer(TimeSource time) {
        return new MetricGroup("api server")
                .with(
                        gauge("enipam_apiserver_used", "1 if the API server is asked for pods, else 0."),
                        (out, now) -> out.put(now.cluster().isPresent()))
                .with(
                        gauge(
                                "enipam_apiserver_watch_up",
                                "1 while this node's pods were listed and are watched, else 0."),
                        (out, now) -> now.cluster()
                                .ifPresent(state -> out.put(state.watch().heard())))
                .with(
                        counter("enipam_apiserver_watch_breaks_total", "How often the watch went down."),
                        (out, now) -> now.cluster()
                                .ifPresent(state -> out.put(state.watch().breaks())))
                .with(
                        gauge("enipam_apiserver_pods", "Pods of this node as the watch knows them."),
                        (out, now) -> now.cluster()
                                .ifPresent(state -> out.put(state.watch().pods())))
                .with(
                        gauge(
                                "enipam_apiserver_last_event_age_seconds",
                                "Since when the watch has said nothing; on a node where no pod changes that is long, and fine."),
                        (out, now) -> now.cluster()
                                .flatMap(state -> state.watch().last())
                                .ifPresent(at -> out.put(Math.max(
                                                0,
                                                Duration.between(at, time.now()).toMillis())
                                        / 1e3)))
                .with(
                        counter(
                                "enipam_apiserver_requests_total",
                                "Requests to the API server, a watch once it is open; code 0 where no answer came.",
                                "verb",
                                "resource",
                                "code"),
                        (out, now) -> now.cluster().ifPresent(state -> requests(out, state)));
    }

    private static void requests(Sheet.Series out, ClusterState state) {
        state.requests().forEach(count -> {
            // verb and resource, or one name for all others
            String[] request = count.request().split(" ", 2);
            out.put(
                    count.times(),
                    request[0],
                    request.length > 1 ? request[1] : request[0],
                    String.valueOf(count.code()));
        });
    }

    /**
     * The same numbers under terway's names, in its units (milliseconds) and with its labels, so that terway's
     * dashboards continue to work. The buckets are this daemon's own, which quantiles allow.
     */
    static MetricGroup terway(Sources sources) {
        return new MetricGroup("terway's names")
                .with(
                        histogram(
                                "terway_rpc_latency",
                                "Terway's name of how long ADD and DEL took, in ms.",
                                "rpc_api",
                                "error"),
                        (out, now) -> {
                            out.put(sources.meters().timingOfAdd().worked(), MILLISECONDS, "AllocIP", "false");
                            out.put(sources.meters().timingOfAdd().failed(), MILLISECONDS, "AllocIP", "true");
                            out.put(sources.meters().timingOfDel().worked(), MILLISECONDS, "ReleaseIP", "false");
                            out.put(sources.meters().timingOfDel().failed(), MILLISECONDS, "ReleaseIP", "true");
                        })
                .with(
                        histogram(
                                "aliyun_openapi_latency",
                                "Terway's name of how long calls of the cloud took, in ms.",
                                "api",
                                "error"),
                        (out, now) -> now.calls().forEach(api -> {
                            counted(out, api.worked(), MILLISECONDS, api.api(), "false");
                            counted(out, api.failed(), MILLISECONDS, api.api(), "true");
                        }))
                .with(
                        histogram(
                                "aliyun_metadata_latency",
                                "Terway's name of how long the metadata service took, in ms.",
                                "url",
                                "error"),
                        (out, now) -> sources.cloud().calls().metadata().paths().forEach(path -> {
                            counted(out, path.worked(), MILLISECONDS, path.path(), "false");
                            counted(out, path.failed(), MILLISECONDS, path.path(), "true");
                        }))
                .with(
                        histogram(
                                "rate_limiter_latency",
                                "Terway's name of how long calls of the cloud waited for this node's own limit, in ms.",
                                "api"),
                        (out, now) -> now.calls().forEach(api -> counted(out, api.waited(), MILLISECONDS, api.api())))
                .with(
                        gauge(
                                "terway_resource_pool_total_count",
                                "Terway's name of how many resources the pool has.",
                                "type",
                                "ipStack"),
                        (out, now) -> out.put(now.pool().entries().size(), type(now), "ipv4"))
                .with(
                        gauge(
                                "terway_resource_pool_idle_count",
                                "Terway's name of how many of these are idle.",
                                "type",
                                "ipStack"),
                        (out, now) -> out.put(now.pool().count(ResourceState.IDLE), type(now), "ipv4"))
                .with(
                        untyped(
                                "terway_resource_pool_disposed_count",
                                "Terway's name of how many resources went back so far; it only grows.",
                                "type",
                                "ipStack"),
                        (out, now) -> out.put(sources.daemon().events().of("ResourceDisposed"), type(now), "ipv4"))
                .with(
                        gauge(
                                "terway_eniip_factory_eni_count",
                                "Terway's name of how many ENIs the factory has.",
                                "name"),
                        (out, now) -> out.put(now.enis().size(), FACTORY))
                .with(
                        gauge(
                                "terway_eniip_factory_ip_count",
                                "Terway's name of how many addresses each ENI has, by its hardware address.",
                                "name",
                                "eni",
                                "max_ip"),
                        (out, now) -> now.enis().stream()
                                .filter(eni -> !eni.mac().isEmpty())
                                .limit(MOST_ENIS)
                                .forEach(eni -> out.put(
                                        eni.addresses().size(),
                                        FACTORY,
                                        eni.mac(),
                                        String.valueOf(eni.addressLimit()))))
                .with(
                        untyped(
                                "terway_eniip_factory_ip_alloc_count",
                                "Terway's name of how many calls for addresses worked and failed so far; it only grows.",
                                "status"),
                        (out, now) -> now.calls().stream()
                                .filter(api -> api.api().equals(ASSIGN))
                                .forEach(api -> assigned(out, api)));
    }

    private static void assigned(Sheet.Series out, ApiQuotaStatus api) {
        out.put(api.worked().count(), "succeed");
        out.put(api.failed().count(), "fail");
    }

    private static String type(Reading now) {
        return now.pool().kind().equals(FACTORY) ? "LocalIP" : now.pool().kind();
    }
}

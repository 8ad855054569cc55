package io.enipam.observability.metrics;

import static io.enipam.observability.metrics.Sheet.Unit.MILLISECONDS;
import static io.enipam.observability.metrics.Sheet.Unit.SECONDS;

import io.enipam.aliyun.calls.ApiCallLog.ApiQuotaStatus;
import io.enipam.aliyun.calls.LatencyHistogram.LatencySnapshot;
import io.enipam.aliyun.eni.EniState;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.api.RequestStats;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import io.enipam.observability.metrics.Metric.Kind;
import io.enipam.observability.metrics.MetricGroup.Reader;
import io.enipam.observability.metrics.MetricGroup.Value;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.ToIntFunction;

/** The metrics of the ENIs, the cloud and the API server, and terway's names for some of them. */
final class CloudMetrics {
    private static final String FACTORY = "eni-ip";
    private static final String ASSIGN = "AssignPrivateIpAddresses";
    /** Well above the number of any ECS instance type. */
    private static final int MOST_ENIS = 64;

    private CloudMetrics() {}

    static MetricGroup enis() {
        return new MetricGroup("enis")
                .gauge("enipam_enis{state}", "ENIs that the factory knows, by state.", CloudMetrics::byState)
                .gauge(
                        "enipam_eni_addresses",
                        "Addresses on these ENIs, the primary ones included.",
                        sum(eni -> eni.addresses().size()))
                .gauge(
                        "enipam_eni_address_limit",
                        "Addresses that these ENIs may have by the instance type.",
                        sum(EniDirectory.Eni::addressLimit))
                .gauge(
                        "enipam_eni_requests_queued",
                        "Requests for addresses that wait for an ENI's worker.",
                        sum(EniDirectory.Eni::queued));
    }

    private static void byState(Sheet.Series out, Reading now) {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (EniState state : EniState.values()) {
            counts.put(state.label(), 0L);
        }
        now.enis().forEach(eni -> counts.merge(counts.containsKey(eni.state()) ? eni.state() : "other", 1L, Long::sum));
        counts.forEach((state, count) -> out.put(count, state));
    }

    private static Value sum(ToIntFunction<EniDirectory.Eni> number) {
        return now -> now.enis().stream().mapToInt(number).sum();
    }

    /** The cloud's APIs, each retry counted. The call log bounds the number of error codes. */
    static MetricGroup cloud(Optional<Sources.Cloud> pool) {
        return new MetricGroup("cloud")
                .gauge(
                        "enipam_cloud_usable",
                        "1 while the cloud can be used or no address comes from it, else 0.",
                        (out, now) ->
                                pool.ifPresent(cloud -> out.put(cloud.usable().getAsBoolean())))
                .counter(
                        "enipam_cloud_calls_total{api, outcome}",
                        "Calls over the wire, each retry on its own.",
                        eachApi((out, api) -> {
                            long failed = api.errors().values().stream()
                                    .mapToLong(Long::longValue)
                                    .sum();
                            out.put(api.calls() - failed, api.api(), "ok");
                            out.put(failed - api.throttles(), api.api(), "error");
                            out.put(api.throttles(), api.api(), "throttled");
                        }))
                .counter(
                        "enipam_cloud_errors_total{api, code}",
                        "Calls that failed, by the cloud's error code; rare ones as 'other'.",
                        eachApi((out, api) -> api.errors().forEach((code, count) -> out.put(count, api.api(), code))))
                .histogram(
                        "enipam_cloud_call_duration_seconds{api, outcome}",
                        "How long calls took over the wire.",
                        durations(SECONDS, "ok", "error"))
                .histogram(
                        "enipam_cloud_limit_wait_seconds{api}",
                        "How long calls waited for this node's own limit.",
                        eachApi((out, api) -> counted(out, api.waited(), SECONDS, api.api())))
                .gauge(
                        "enipam_cloud_budget_limit{api}",
                        "Calls a minute of the clock as configured.",
                        eachApi((out, api) -> out.put(api.quota().limit(), api.api())))
                .gauge(
                        "enipam_cloud_budget_allowed{api}",
                        "Calls a minute allowed now: fewer for a while after throttling.",
                        eachApi((out, api) -> out.put(api.quota().allowed(), api.api())))
                .gauge(
                        "enipam_cloud_budget_left{api}",
                        "Calls that may still be made in this minute of the clock.",
                        eachApi((out, api) -> out.put(api.quota().left(), api.api())))
                .gauge(
                        "enipam_cloud_inhibited{api}",
                        "1 while an API is left alone after throttling, else 0.",
                        eachApi((out, api) ->
                                out.put(api.quota().inhibitedUntil().isPresent(), api.api())));
    }

    private static Reader eachApi(BiConsumer<Sheet.Series, ApiQuotaStatus> reader) {
        return (out, now) -> now.calls().forEach(api -> reader.accept(out, api));
    }

    private static Reader durations(Sheet.Unit unit, String worked, String failed) {
        return eachApi((out, api) -> {
            counted(out, api.worked(), unit, api.api(), worked);
            counted(out, api.failed(), unit, api.api(), failed);
        });
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
                .gauge(
                        "enipam_apiserver_used",
                        "1 if the API server is asked for pods, else 0.",
                        (out, now) -> out.put(now.cluster().isPresent()))
                .gauge(
                        "enipam_apiserver_watch_up",
                        "1 while this node's pods were listed and are watched, else 0.",
                        ifUsed((out, state) -> out.put(state.watch().heard())))
                .counter(
                        "enipam_apiserver_watch_breaks_total",
                        "How often the watch went down.",
                        ifUsed((out, state) -> out.put(state.watch().breaks())))
                .gauge(
                        "enipam_apiserver_pods",
                        "Pods of this node as the watch knows them.",
                        ifUsed((out, state) -> out.put(state.watch().pods())))
                .gauge(
                        "enipam_apiserver_last_event_age_seconds",
                        "Since when the watch has said nothing; on a node where no pod changes that is long, and fine.",
                        ifUsed((out, state) -> state.watch()
                                .last()
                                .map(at -> Duration.between(at, time.now()).toMillis())
                                .ifPresent(age -> out.put(Math.max(0, age) / 1e3))))
                .counter(
                        "enipam_apiserver_requests_total{verb, resource, code}",
                        "Requests to the API server, a watch once it is open; code 0 where no answer came.",
                        ifUsed((out, state) -> state.requests().forEach(count -> request(out, count))));
    }

    private static Reader ifUsed(BiConsumer<Sheet.Series, ClusterState> reader) {
        return (out, now) -> now.cluster().ifPresent(state -> reader.accept(out, state));
    }

    private static void request(Sheet.Series out, RequestStats.Count count) {
        // verb and resource, or one name for all others
        String[] request = count.request().split(" ", 2);
        out.put(count.times(), request[0], request[request.length - 1], String.valueOf(count.code()));
    }

    /** The same numbers under terway's names, units (milliseconds) and labels, for its dashboards; our buckets. */
    static MetricGroup terway(Sources sources) {
        return new MetricGroup("terway's names")
                .histogram(
                        "terway_rpc_latency{rpc_api, error}",
                        "Terway's name of how long ADD and DEL took, in ms.",
                        (out, now) -> {
                            out.put(sources.meters().add().worked(), MILLISECONDS, "AllocIP", "false");
                            out.put(sources.meters().add().failed(), MILLISECONDS, "AllocIP", "true");
                            out.put(sources.meters().del().worked(), MILLISECONDS, "ReleaseIP", "false");
                            out.put(sources.meters().del().failed(), MILLISECONDS, "ReleaseIP", "true");
                        })
                .histogram(
                        "aliyun_openapi_latency{api, error}",
                        "Terway's name of how long calls of the cloud took, in ms.",
                        durations(MILLISECONDS, "false", "true"))
                .histogram(
                        "aliyun_metadata_latency{url, error}",
                        "Terway's name of how long the metadata service took, in ms.",
                        (out, now) -> sources.meters()
                                .cloud()
                                .metadata()
                                .paths()
                                .forEach(path -> {
                                    counted(out, path.worked(), MILLISECONDS, path.path(), "false");
                                    counted(out, path.failed(), MILLISECONDS, path.path(), "true");
                                }))
                .histogram(
                        "rate_limiter_latency{api}",
                        "Terway's name of how long calls of the cloud waited for this node's own limit, in ms.",
                        eachApi((out, api) -> counted(out, api.waited(), MILLISECONDS, api.api())))
                .gauge(
                        "terway_resource_pool_total_count{type, ipStack}",
                        "Terway's name of how many resources the pool has.",
                        (out, now) -> out.put(now.pool().held(), type(now), "ipv4"))
                .gauge(
                        "terway_resource_pool_idle_count{type, ipStack}",
                        "Terway's name of how many of these are idle.",
                        (out, now) -> out.put(now.pool().count(ResourceState.IDLE), type(now), "ipv4"))
                .with(
                        Kind.UNTYPED,
                        "terway_resource_pool_disposed_count{type, ipStack}",
                        "Terway's name of how many resources went back so far; it only grows.",
                        (out, now) -> out.put(sources.daemon().events().of("ResourceDisposed"), type(now), "ipv4"))
                .gauge(
                        "terway_eniip_factory_eni_count{name}",
                        "Terway's name of how many ENIs the factory has.",
                        (out, now) -> out.put(now.enis().size(), FACTORY))
                .gauge(
                        "terway_eniip_factory_ip_count{name, eni, max_ip}",
                        "Terway's name of how many addresses each ENI has, by its hardware address.",
                        (out, now) -> now.enis().stream()
                                .filter(eni -> !eni.mac().isEmpty())
                                .limit(MOST_ENIS)
                                .forEach(eni ->
                                        out.put(eni.addresses().size(), FACTORY, eni.mac(), "" + eni.addressLimit())))
                .with(
                        Kind.UNTYPED,
                        "terway_eniip_factory_ip_alloc_count{status}",
                        "Terway's name of how many calls for addresses worked and failed so far; it only grows.",
                        eachApi((out, api) -> {
                            if (api.api().equals(ASSIGN)) {
                                out.put(api.worked().count(), "succeed");
                                out.put(api.failed().count(), "fail");
                            }
                        }));
    }

    private static String type(Reading now) {
        return now.pool().kind().equals(FACTORY) ? "LocalIP" : now.pool().kind();
    }
}

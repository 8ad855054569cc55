package io.enipam.observability.metrics;

import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.calls.ApiQuotaStatus;
import io.enipam.aliyun.calls.LatencySnapshot;
import io.enipam.aliyun.calls.MetadataCallStats;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.EniDirectory;
import io.enipam.events.EventCounts;
import io.enipam.observability.history.CallTiming;
import io.enipam.observability.history.Meters;
import io.enipam.sdk.ResourceState;
import java.util.List;

/**
 * The same numbers under terway's names, in its units (milliseconds) and with its labels, so that a dashboard made for terway goes
 * on to work. Buckets are this daemon's own, which a quantile does not mind.
 */
record TerwayPart(Meters meters, ApiCallLog book, EventCounts events) implements Part {
    private static final Metric RPC = Metric.histogram(
            "terway_rpc_latency", "Terway's name of how long ADD and DEL took, in ms.", "rpc_api", "error");
    private static final Metric OPENAPI = Metric.histogram(
            "aliyun_openapi_latency", "Terway's name of how long calls of the cloud took, in ms.", "api", "error");
    private static final Metric METADATA = Metric.histogram(
            "aliyun_metadata_latency", "Terway's name of how long the metadata service took, in ms.", "url", "error");
    private static final Metric LIMITER = Metric.histogram(
            "rate_limiter_latency",
            "Terway's name of how long calls of the cloud waited for this node's own limit, in ms.",
            "api");
    private static final Metric TOTAL = Metric.gauge(
            "terway_resource_pool_total_count", "Terway's name of how many resources the pool has.", "type", "ipStack");
    private static final Metric IDLE = Metric.gauge(
            "terway_resource_pool_idle_count", "Terway's name of how many of these are idle.", "type", "ipStack");
    private static final Metric DISPOSED = Metric.untyped(
            "terway_resource_pool_disposed_count",
            "Terway's name of how many resources went back so far; it only grows.",
            "type",
            "ipStack");
    private static final Metric ENI_COUNT =
            Metric.gauge("terway_eniip_factory_eni_count", "Terway's name of how many ENIs the factory has.", "name");
    private static final Metric IP_COUNT = Metric.gauge(
            "terway_eniip_factory_ip_count",
            "Terway's name of how many addresses each ENI has, by its hardware address.",
            "name",
            "eni",
            "max_ip");
    private static final Metric IP_ALLOC = Metric.untyped(
            "terway_eniip_factory_ip_alloc_count",
            "Terway's name of how many calls for addresses worked and failed so far; it only grows.",
            "status");

    private static final String FACTORY = "eni-ip";
    private static final String ASSIGN = "AssignPrivateIpAddresses";
    /** Of an ECS instance no type has more, by far. */
    private static final int MOST_ENIS = 64;

    @Override
    public String name() {
        return "terway's names";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(RPC, OPENAPI, METADATA, LIMITER, TOTAL, IDLE, DISPOSED, ENI_COUNT, IP_COUNT, IP_ALLOC);
    }

    @Override
    public void collect(Sheet sheet, Moment moment) {
        rpc(sheet, "AllocIP", meters.timingOfAdd());
        rpc(sheet, "ReleaseIP", meters.timingOfDel());
        book.quotaStatus().forEach(times -> cloud(sheet, times));
        for (MetadataCallStats.Path path : book.metadata().paths()) {
            told(sheet, METADATA, path.worked(), path.path(), "false");
            told(sheet, METADATA, path.failed(), path.path(), "true");
        }
        PoolView pool = moment.pool();
        String type = pool.kind().equals(FACTORY) ? "LocalIP" : pool.kind();
        sheet.put(TOTAL, pool.entries().size(), type, "ipv4");
        sheet.put(IDLE, pool.count(ResourceState.IDLE), type, "ipv4");
        sheet.put(DISPOSED, events.of("ResourceDisposed"), type, "ipv4");
        List<EniDirectory.Eni> all = moment.enis();
        sheet.put(ENI_COUNT, all.size(), FACTORY);
        all.stream()
                .filter(eni -> !eni.mac().isEmpty())
                .limit(MOST_ENIS)
                .forEach(eni -> sheet.put(
                        IP_COUNT, eni.addresses().size(), FACTORY, eni.mac(), String.valueOf(eni.addressLimit())));
    }

    private static void rpc(Sheet sheet, String api, CallTiming timing) {
        sheet.put(RPC, timing.worked(), Sheet.Unit.MILLISECONDS, api, "false");
        sheet.put(RPC, timing.failed(), Sheet.Unit.MILLISECONDS, api, "true");
    }

    private static void cloud(Sheet sheet, ApiQuotaStatus times) {
        told(sheet, OPENAPI, times.worked(), times.api(), "false");
        told(sheet, OPENAPI, times.failed(), times.api(), "true");
        told(sheet, LIMITER, times.waited(), times.api());
        if (times.api().equals(ASSIGN)) {
            sheet.put(IP_ALLOC, times.worked().count(), "succeed");
            sheet.put(IP_ALLOC, times.failed().count(), "fail");
        }
    }

    /** What never happened has no buckets yet. */
    private static void told(Sheet sheet, Metric metric, LatencySnapshot timing, String... labels) {
        if (timing.count() > 0) {
            sheet.put(metric, timing, Sheet.Unit.MILLISECONDS, labels);
        }
    }
}

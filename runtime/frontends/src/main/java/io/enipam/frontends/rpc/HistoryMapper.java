package io.enipam.frontends.rpc;

import io.enipam.observability.history.CallCount;
import io.enipam.observability.history.CloudCount;
import io.enipam.observability.history.GcCount;
import io.enipam.observability.history.PoolGauge;
import io.enipam.observability.history.Sample;
import io.enipam.v1.ApiMeter;
import io.enipam.v1.CallMeter;
import io.enipam.v1.CloudMeter;
import io.enipam.v1.CodeCount;
import io.enipam.v1.GcMeter;
import io.enipam.v1.HistorySample;
import io.enipam.v1.ProcessGauge;
import java.time.Duration;

/** Samples and meters on the wire. */
final class HistoryMapper {
    private HistoryMapper() {}

    static HistorySample sample(Sample sample, Duration age) {
        PoolGauge pool = sample.pool();
        return HistorySample.newBuilder()
                .setSequence(sample.sequence())
                .setAt(ProtoTime.timestamp(sample.at()))
                .setAge(ProtoTime.duration(age))
                .setInterval(ProtoTime.duration(sample.interval()))
                .setCounts(PoolMapper.counts(pool.counts()))
                .setCapacity(pool.capacity())
                .setMinIdle(pool.minIdle())
                .setMaxIdle(pool.maxIdle())
                .setWaiting(pool.waiting())
                .setAdd(calls(sample.add()))
                .setDel(calls(sample.del()))
                .setCloud(cloud(sample.cloud()))
                .setCommits(calls(sample.commits()))
                .setGc(gc(sample.gc()))
                .setProcess(process(sample.process()))
                .build();
    }

    static CallMeter calls(CallCount count) {
        CallMeter.Builder meter = CallMeter.newBuilder()
                .setDone(count.done())
                .setFailed(count.failed())
                .setInFlight((int) count.inFlight());
        count.failures()
                .forEach((code, failures) ->
                        meter.addFailures(CodeCount.newBuilder().setCode(code).setCount(failures)));
        count.times()
                .ifPresent(times -> meter.setP50(ProtoTime.duration(times.p50()))
                        .setP99(ProtoTime.duration(times.p99()))
                        .setMax(ProtoTime.duration(times.max())));
        return meter.build();
    }

    static CloudMeter cloud(CloudCount count) {
        CloudMeter.Builder meter = CloudMeter.newBuilder()
                .setCalls(count.calls())
                .setFailed(count.failed())
                .setThrottled(count.throttled())
                .addAllApis(count.apis().stream().map(HistoryMapper::api).toList());
        count.p50().map(ProtoTime::duration).ifPresent(meter::setP50);
        count.p99().map(ProtoTime::duration).ifPresent(meter::setP99);
        return meter.build();
    }

    private static ApiMeter api(CloudCount.Api api) {
        return ApiMeter.newBuilder()
                .setApi(api.api())
                .setCalls(api.calls())
                .setFailed(api.failed())
                .setThrottled(api.throttled())
                .setUsed(api.used())
                .setAllowed(api.allowed())
                .setLimit(api.limit())
                .setInhibited(api.inhibited())
                .build();
    }

    static GcMeter gc(GcCount count) {
        return GcMeter.newBuilder()
                .setRuns(count.runs())
                .setCollected(count.collected())
                .build();
    }

    static ProcessGauge process(io.enipam.observability.history.ProcessGauge process) {
        return ProcessGauge.newBuilder()
                .setRss(process.rss())
                .setHeapUsed(process.heapUsed())
                .setHeapMax(process.heapMax())
                .setThreads(process.threads())
                .setFds(process.fds())
                .setCpu(ProtoTime.duration(process.cpu()))
                .build();
    }
}

package io.enipam.frontends.rpc;

import io.enipam.engine.port.TimeSource;
import io.enipam.observability.history.History;
import io.enipam.observability.history.Meters;
import io.enipam.observability.history.Sample;
import io.enipam.observability.history.Sample.CallCount;
import io.enipam.observability.history.Sample.CloudCount;
import io.enipam.observability.history.Sample.GcCount;
import io.enipam.observability.history.Sample.PoolGauge;
import io.enipam.v1.ApiMeter;
import io.enipam.v1.CallMeter;
import io.enipam.v1.CloudMeter;
import io.enipam.v1.CodeCount;
import io.enipam.v1.GcMeter;
import io.enipam.v1.GetHistoryRequest;
import io.enipam.v1.GetMetersReply;
import io.enipam.v1.HistorySample;
import io.enipam.v1.ProcessGauge;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Samples of the history, and the totals of the meters. Thread-safe. */
final class HistoryHandler {
    private final History history;
    private final TimeSource time;

    HistoryHandler(History history, TimeSource time) {
        this.history = history;
        this.time = time;
    }

    List<HistorySample> samples(GetHistoryRequest request) {
        long now = time.nanoTime();
        List<Sample> kept = history.samples();
        long newest = kept.isEmpty() ? 0 : kept.get(kept.size() - 1).sequence();
        long after = request.getAfterSequence() > newest ? 0 : request.getAfterSequence();
        Stream<Sample> fitting = kept.stream().filter(sample -> sample.sequence() > after);
        if (request.hasSince()) {
            Duration oldest = Proto.span(request.getSince());
            fitting = fitting.filter(sample -> age(sample, now).compareTo(oldest) <= 0);
        }
        List<Sample> chosen = fitting.toList();
        int most = request.getMaxSamples() > 0 ? request.getMaxSamples() : chosen.size();
        return chosen.stream()
                .skip(Math.max(0, chosen.size() - most))
                .map(sample -> sample(sample, age(sample, now)))
                .toList();
    }

    private static Duration age(Sample sample, long now) {
        return Duration.ofNanos(now - sample.atNanos());
    }

    GetMetersReply meters() {
        Meters.Totals totals = history.meters().totals();
        return GetMetersReply.newBuilder()
                .setUptime(Proto.duration(totals.uptime()))
                .setAdd(calls(totals.counts().add()))
                .setDel(calls(totals.counts().del()))
                .setCloud(cloud(totals.counts().cloud()))
                .setCommits(calls(totals.counts().commits()))
                .setGc(gc(totals.counts().gc()))
                .setProcess(process(totals.process()))
                .setSamples(history.samples().size())
                .setInterval(Proto.duration(History.INTERVAL))
                .build();
    }

    static HistorySample sample(Sample sample, Duration age) {
        PoolGauge pool = sample.pool();
        return HistorySample.newBuilder()
                .setSequence(sample.sequence())
                .setAt(Proto.timestamp(sample.at()))
                .setAge(Proto.duration(age))
                .setInterval(Proto.duration(sample.interval()))
                .setCounts(PoolMapper.counts(pool.counts()))
                .setCapacity(pool.capacity())
                .setMinIdle(pool.minIdle())
                .setMaxIdle(pool.maxIdle())
                .setWaiting(pool.waiting())
                .setAdd(calls(sample.counts().add()))
                .setDel(calls(sample.counts().del()))
                .setCloud(cloud(sample.counts().cloud()))
                .setCommits(calls(sample.counts().commits()))
                .setGc(gc(sample.counts().gc()))
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
                .ifPresent(times -> meter.setP50(Proto.duration(times.p50()))
                        .setP99(Proto.duration(times.p99()))
                        .setMax(Proto.duration(times.max())));
        return meter.build();
    }

    static CloudMeter cloud(CloudCount count) {
        CloudMeter.Builder meter = CloudMeter.newBuilder()
                .setCalls(count.calls())
                .setFailed(count.failed())
                .setThrottled(count.throttled())
                .addAllApis(Proto.all(count.apis(), HistoryHandler::api));
        count.p50().map(Proto::duration).ifPresent(meter::setP50);
        count.p99().map(Proto::duration).ifPresent(meter::setP99);
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

    static ProcessGauge process(io.enipam.observability.history.Sample.ProcessGauge process) {
        return ProcessGauge.newBuilder()
                .setRss(process.rss())
                .setHeapUsed(process.heapUsed())
                .setHeapMax(process.heapMax())
                .setThreads(process.threads())
                .setFds(process.fds())
                .setCpu(Proto.duration(process.cpu()))
                .build();
    }
}

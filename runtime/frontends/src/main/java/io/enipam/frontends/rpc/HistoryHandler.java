package io.enipam.frontends.rpc;

import io.enipam.observability.history.History;
import io.enipam.observability.history.Meters;
import io.enipam.observability.history.Sample;
import io.enipam.engine.port.TimeSource;
import io.enipam.v1.GetHistoryReply;
import io.enipam.v1.GetHistoryRequest;
import io.enipam.v1.GetMetersReply;
import io.enipam.v1.HistorySample;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Answers about how the daemon fared. Thread-safe. */
final class HistoryHandler {
    private final History history;
    private final TimeSource time;

    HistoryHandler(History history, TimeSource time) {
        this.history = history;
        this.time = time;
    }

    void history(GetHistoryRequest request, StreamObserver<GetHistoryReply> observer) {
        ChunkedReply.send(
                observer,
                () -> samples(request),
                samples -> GetHistoryReply.newBuilder().addAllSamples(samples).build(),
                ChunkedReply.CHUNK);
    }

    private List<HistorySample> samples(GetHistoryRequest request) {
        long now = time.nanoTime();
        List<Sample> kept = history.samples();
        long newest = kept.isEmpty() ? 0 : kept.get(kept.size() - 1).sequence();
        long after = request.getAfterSequence() > newest ? 0 : request.getAfterSequence();
        Stream<Sample> fitting = kept.stream().filter(sample -> sample.sequence() > after);
        if (request.hasSince()) {
            Duration oldest = ProtoTime.span(request.getSince());
            fitting = fitting.filter(sample -> age(sample, now).compareTo(oldest) <= 0);
        }
        List<Sample> chosen = fitting.toList();
        int most = request.getMaxSamples() > 0 ? request.getMaxSamples() : chosen.size();
        return chosen.stream()
                .skip(Math.max(0, chosen.size() - most))
                .map(sample -> HistoryMapper.sample(sample, age(sample, now)))
                .toList();
    }

    private static Duration age(Sample sample, long now) {
        return Duration.ofNanos(now - sample.atNanos());
    }

    GetMetersReply meters() {
        Meters.Totals totals = history.meters().totals();
        return GetMetersReply.newBuilder()
                .setUptime(ProtoTime.duration(totals.uptime()))
                .setAdd(HistoryMapper.calls(totals.add()))
                .setDel(HistoryMapper.calls(totals.del()))
                .setCloud(HistoryMapper.cloud(totals.cloud()))
                .setCommits(HistoryMapper.calls(totals.commits()))
                .setGc(HistoryMapper.gc(totals.gc()))
                .setProcess(HistoryMapper.process(totals.process()))
                .setSamples(history.samples().size())
                .setInterval(ProtoTime.duration(History.INTERVAL))
                .build();
    }
}

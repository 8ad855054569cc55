package io.enipam.frontends.rpc;

import io.enipam.engine.port.TimeSource;
import io.enipam.observability.history.History;
import io.enipam.observability.history.Meters;
import io.enipam.observability.history.Sample;
import io.enipam.observability.history.Sample.CallCount;
import io.enipam.v1.CallMeter;
import io.enipam.v1.GetHistoryRequest;
import io.enipam.v1.GetMetersReply;
import io.enipam.v1.HistorySample;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Samples of the history, and the totals of the meters. Thread-safe. */
record HistoryHandler(History history, TimeSource time) {
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
        return Proto.all(
                Proto.last(fitting.toList(), request.getMaxSamples()), sample -> sample(sample, age(sample, now)));
    }

    private static Duration age(Sample sample, long now) {
        return Duration.ofNanos(now - sample.atNanos());
    }

    GetMetersReply meters() {
        Meters.Totals totals = history.meters().totals();
        GetMetersReply.Builder reply = GetMetersReply.newBuilder()
                .setAdd(calls(totals.counts().add()))
                .setDel(calls(totals.counts().del()))
                .setCommits(calls(totals.counts().commits()))
                .setSamples(history.samples().size())
                .setInterval(Proto.duration(History.INTERVAL));
        return Proto.fill(reply, totals, totals.counts()).build();
    }

    private static HistorySample sample(Sample sample, Duration age) {
        HistorySample.Builder wire = HistorySample.newBuilder()
                .setAge(Proto.duration(age))
                .setAdd(calls(sample.counts().add()))
                .setDel(calls(sample.counts().del()))
                .setCommits(calls(sample.counts().commits()));
        return Proto.fill(wire, sample.pool(), sample.counts(), sample).build();
    }

    private static CallMeter calls(CallCount count) {
        CallMeter.Builder meter = Proto.fill(CallMeter.newBuilder(), count);
        count.times().ifPresent(times -> Proto.fill(meter, times));
        return meter.build();
    }
}

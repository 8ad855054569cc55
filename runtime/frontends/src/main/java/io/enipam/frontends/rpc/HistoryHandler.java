package io.enipam.frontends.rpc;

import io.enipam.engine.port.TimeSource;
import io.enipam.observability.history.History;
import io.enipam.observability.history.Meters;
import io.enipam.observability.history.Sample;
import io.enipam.observability.history.Sample.CallCount;
import io.enipam.store.history.HistorySearch;
import io.enipam.store.history.RecordLog;
import io.enipam.v1.CallMeter;
import io.enipam.v1.GetHistoryRequest;
import io.enipam.v1.GetMetersReply;
import io.enipam.v1.HistorySample;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Samples of the history, and the totals of the meters. Thread-safe. */
record HistoryHandler(History history, RecordLog<Sample> past, TimeSource time) {
    /** So many samples of the files, the last of them: a day and a half. */
    private static final int MOST = 25_000;

    private static final Duration LATELY = History.INTERVAL.multipliedBy(History.SIZE);

    List<HistorySample> samples(GetHistoryRequest request) {
        long now = time.nanoTime();
        List<Sample> kept = kept(request);
        long newest = kept.isEmpty() ? 0 : kept.get(kept.size() - 1).sequence();
        long after = request.getAfterSequence() > newest ? 0 : request.getAfterSequence();
        Stream<Sample> fitting = kept.stream().filter(sample -> sample.sequence() > after);
        if (request.hasSince() && !request.hasTo()) {
            Duration oldest = Proto.span(request.getSince());
            fitting = fitting.filter(sample -> age(sample, now).compareTo(oldest) <= 0);
        }
        return Proto.all(
                Proto.last(fitting.toList(), request.getMaxSamples()), sample -> sample(sample, age(sample, now)));
    }

    /** What the ring has; of a longer time also what the files have, whose age is by the date. */
    private List<Sample> kept(GetHistoryRequest request) {
        List<Sample> ring = history.samples();
        Duration since = request.hasSince() ? Proto.span(request.getSince()) : Duration.ZERO;
        if (request.hasTo()) {
            return until(Proto.instant(request.getTo()), since.isZero() ? LATELY : since);
        }
        if (since.compareTo(LATELY) <= 0) {
            return ring;
        }
        long first = ring.isEmpty() ? Long.MAX_VALUE : ring.get(0).sequence();
        List<Sample> older = find(new HistorySearch<>(
                List.of(), time.now().minus(since), Instant.MAX, sample -> sample.sequence() < first, MOST));
        return Stream.concat(older.stream(), ring.stream()).toList();
    }

    private List<Sample> until(Instant to, Duration since) {
        return find(new HistorySearch<>(List.of(), to.minus(since), to, sample -> true, MOST));
    }

    /** Of the files, the oldest first, with the age that their dates give them. */
    private List<Sample> find(HistorySearch<Sample> search) {
        Instant now = time.now();
        long nanos = time.nanoTime();
        return past.find(search).stream()
                .map(sample -> sample.seen(now, nanos))
                .sorted(Comparator.comparing(Sample::sequence))
                .toList();
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

package io.enipam.shell.status;

import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.CallMeter;
import io.enipam.v1.CloudMeter;
import io.enipam.v1.CodeCount;
import io.enipam.v1.HistorySample;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * ADD, DEL, commits and calls of the cloud: how many a second in the last minute, how long they took in the latest interval
 * that had some, how many failed in the last ten minutes.
 */
final class CallPanel {
    private static final int RATE_END = 19;
    private static final int P50_END = 30;
    private static final int P99_END = 41;
    private static final int FAILED_END = 50;

    private final Glyphs glyphs;
    private final int spark;

    CallPanel(Glyphs glyphs, int width) {
        this.glyphs = glyphs;
        this.spark = Math.max(0, Math.min(120, width - FAILED_END - 2));
    }

    List<StyledLine> rows(SampleSeries series) {
        return List.of(
                new StyledLine()
                        .add(Tone.HEAD, "CALLS")
                        .right(RATE_END, Tone.HEAD, "A SECOND")
                        .right(P50_END, Tone.HEAD, "P50")
                        .right(P99_END, Tone.HEAD, "P99")
                        .right(FAILED_END, Tone.HEAD, "FAILED")
                        .add(Tone.LABEL, spark >= 16 ? "  the last ten minutes" : ""),
                row("add", HistorySample::getAdd, series),
                row("del", HistorySample::getDel, series),
                row("commits", HistorySample::getCommits, series),
                row("cloud", sample -> asCalls(sample.getCloud()), series));
    }

    private StyledLine row(String label, Function<HistorySample, CallMeter> calls, SampleSeries series) {
        CallMeter latest = series.latest(calls);
        long failed = series.sum(sample -> calls.apply(sample).getFailed());
        double rate = series.rate(
                sample -> calls.apply(sample).getDone() + calls.apply(sample).getFailed());
        double[] peaks = series.peaks(spark, sample -> SampleSeries.perSecond(sample, calls.apply(sample)));
        StyledLine row = new StyledLine()
                .add("  ")
                .add(Tone.LABEL, label)
                .right(RATE_END, Tone.PLAIN, String.format(Locale.ROOT, "%.2f", rate))
                .right(P50_END, Tone.PLAIN, latest.hasP50() ? TimeFormat.took(latest.getP50()) : "-")
                .right(P99_END, Tone.PLAIN, latest.hasP99() ? TimeFormat.took(latest.getP99()) : "-")
                .right(FAILED_END, failed > 0 ? Tone.BAD : Tone.PLAIN, Long.toString(failed))
                .add("  ")
                .add(glyphs.spark(peaks));
        String why = failures(series, calls);
        return why.isEmpty() ? row : row.add("  ").add(Tone.BAD, why);
    }

    private static String failures(SampleSeries series, Function<HistorySample, CallMeter> calls) {
        Map<String, Long> byCode = new TreeMap<>();
        series.samples().stream()
                .flatMap(sample -> calls.apply(sample).getFailuresList().stream())
                .forEach((CodeCount code) -> byCode.merge(code.getCode(), code.getCount(), Long::sum));
        return byCode.entrySet().stream()
                .map(code -> code.getKey() + " " + code.getValue())
                .collect(Collectors.joining(", "));
    }

    private static CallMeter asCalls(CloudMeter cloud) {
        CallMeter.Builder calls = CallMeter.newBuilder()
                .setDone(cloud.getCalls() - cloud.getFailed())
                .setFailed(cloud.getFailed());
        if (cloud.getThrottled() > 0) {
            calls.addFailures(CodeCount.newBuilder().setCode("throttled").setCount(cloud.getThrottled()));
        }
        if (cloud.hasP50()) {
            calls.setP50(cloud.getP50()).setP99(cloud.getP99());
        }
        return calls.build();
    }
}

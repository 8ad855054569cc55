package io.enipam.shell.bundle;

import io.enipam.v1.CallMeter;
import io.enipam.v1.HistorySample;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Which charts are drawn of the samples. */
final class ReportCharts {
    private static final double MIB = 1 << 20;

    private ReportCharts() {}

    static List<SvgChart> of(List<HistorySample> samples) {
        double[] ages = numbers(samples, sample -> seconds(sample.getAge()));
        return List.of(
                new SvgChart(
                        "The pool",
                        "addresses",
                        ages,
                        List.of(
                                line("in use", samples, s -> s.getCounts().getInUse()),
                                line("idle", samples, s -> s.getCounts().getIdle()),
                                line("cooling", samples, s -> s.getCounts().getCooling()),
                                line("reserved", samples, s -> s.getCounts().getReserved()),
                                line("waiting", samples, HistorySample::getWaiting))),
                new SvgChart(
                        "CNI calls",
                        "a second",
                        ages,
                        List.of(
                                line(
                                        "ADD",
                                        samples,
                                        s -> rate(
                                                s,
                                                s.getAdd().getDone()
                                                        + s.getAdd().getFailed())),
                                line(
                                        "DEL",
                                        samples,
                                        s -> rate(
                                                s,
                                                s.getDel().getDone()
                                                        + s.getDel().getFailed())),
                                line(
                                        "failed",
                                        samples,
                                        s -> rate(
                                                s,
                                                s.getAdd().getFailed()
                                                        + s.getDel().getFailed())))),
                new SvgChart(
                        "How long ADD took",
                        "ms",
                        ages,
                        List.of(
                                line(
                                        "p50",
                                        samples,
                                        s -> millis(s.getAdd(), s.getAdd().getP50())),
                                line(
                                        "p99",
                                        samples,
                                        s -> millis(s.getAdd(), s.getAdd().getP99())))),
                new SvgChart(
                        "Calls of the cloud",
                        "a second",
                        ages,
                        List.of(
                                line("calls", samples, s -> rate(s, s.getCloud().getCalls())),
                                line(
                                        "failed",
                                        samples,
                                        s -> rate(s, s.getCloud().getFailed())),
                                line(
                                        "throttled",
                                        samples,
                                        s -> rate(s, s.getCloud().getThrottled())))),
                new SvgChart(
                        "How long commits took",
                        "ms",
                        ages,
                        List.of(
                                line(
                                        "p50",
                                        samples,
                                        s -> millis(
                                                s.getCommits(), s.getCommits().getP50())),
                                line(
                                        "p99",
                                        samples,
                                        s -> millis(
                                                s.getCommits(), s.getCommits().getP99())))),
                new SvgChart(
                        "Memory of the daemon",
                        "MiB",
                        ages,
                        List.of(
                                line("resident", samples, s -> s.getProcess().getRss() / MIB),
                                line("heap", samples, s -> s.getProcess().getHeapUsed() / MIB))));
    }

    private static SvgChart.Line line(String name, List<HistorySample> samples, ToDoubleFunction<HistorySample> value) {
        return new SvgChart.Line(name, numbers(samples, value));
    }

    private static double[] numbers(List<HistorySample> samples, ToDoubleFunction<HistorySample> value) {
        return samples.stream().mapToDouble(value).toArray();
    }

    private static double rate(HistorySample sample, long count) {
        double interval = seconds(sample.getInterval());
        return interval == 0 ? 0 : count / interval;
    }

    private static double millis(CallMeter calls, com.google.protobuf.Duration took) {
        return calls.hasP50() ? seconds(took) * 1e3 : Double.NaN;
    }

    private static double seconds(com.google.protobuf.Duration duration) {
        return duration.getSeconds() + duration.getNanos() / 1e9;
    }
}

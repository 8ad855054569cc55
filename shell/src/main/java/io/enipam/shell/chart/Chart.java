package io.enipam.shell.chart;

import static io.enipam.shell.chart.SampleSeries.perSecond;

import com.google.protobuf.Duration;
import com.google.protobuf.util.Durations;
import io.enipam.v1.CallMeter;
import io.enipam.v1.HistorySample;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * What is drawn of the daemon's samples: at most five lines of one unit over time. A page shows each chart, a terminal some of the lines.
 */
record Chart(String title, String unit, List<Line> lines) {
    static final Line IN_USE = new Line("in use", sample -> sample.getCounts().getInUse());
    static final Line IDLE = new Line("idle", sample -> sample.getCounts().getIdle());
    static final Line WAITING = new Line("waiting", HistorySample::getWaiting);
    static final Line ADDS = new Line("ADD", sample -> perSecond(sample, SampleSeries.ended(sample.getAdd())));
    static final Line ADD_P99 = new Line("p99", sample -> millis(sample.getAdd(), CallMeter::getP99));
    static final Line CLOUD_CALLS =
            new Line("calls", sample -> perSecond(sample, sample.getCloud().getCalls()));

    private static final double MIB = 1 << 20;

    static final List<Chart> ALL = List.of(
            new Chart(
                    "The pool",
                    "addresses",
                    List.of(
                            IN_USE,
                            IDLE,
                            new Line("cooling", sample -> sample.getCounts().getCooling()),
                            new Line("reserved", sample -> sample.getCounts().getReserved()),
                            WAITING)),
            new Chart(
                    "CNI calls",
                    "a second",
                    List.of(
                            ADDS,
                            new Line("DEL", sample -> perSecond(sample, SampleSeries.ended(sample.getDel()))),
                            new Line("failed", sample -> perSecond(sample, SampleSeries.failed(sample))))),
            new Chart(
                    "How long ADD took",
                    "ms",
                    List.of(new Line("p50", sample -> millis(sample.getAdd(), CallMeter::getP50)), ADD_P99)),
            new Chart(
                    "Calls of the cloud",
                    "a second",
                    List.of(
                            CLOUD_CALLS,
                            new Line(
                                    "failed",
                                    sample ->
                                            perSecond(sample, sample.getCloud().getFailed())),
                            new Line(
                                    "throttled",
                                    sample ->
                                            perSecond(sample, sample.getCloud().getThrottled())))),
            new Chart(
                    "How long commits took",
                    "ms",
                    List.of(
                            new Line("p50", sample -> millis(sample.getCommits(), CallMeter::getP50)),
                            new Line("p99", sample -> millis(sample.getCommits(), CallMeter::getP99)))),
            new Chart(
                    "Memory of the daemon",
                    "MiB",
                    List.of(
                            new Line("resident", sample -> sample.getProcess().getRss() / MIB),
                            new Line("heap", sample -> sample.getProcess().getHeapUsed() / MIB))));

    Chart {
        lines = List.copyOf(lines);
    }

    /** One line.
     *
     * @param value of a sample; NaN where it has none
     */
    record Line(String name, ToDoubleFunction<HistorySample> value) {}

    private static double millis(CallMeter calls, Function<CallMeter, Duration> took) {
        return calls.hasP50() ? Durations.toSecondsAsDouble(took.apply(calls)) * 1e3 : Double.NaN;
    }

    /** At most three digits behind the point, and none that says nothing. */
    static String number(double value) {
        return String.format(Locale.ROOT, "%.3f", value).replaceAll("\\.?0+$", "");
    }

    /** A number for an axis: {@code 12}, {@code 0.25}, {@code 40k}, {@code 2M}. */
    static String brief(double value) {
        return value >= 1e6 ? number(value / 1e6) + "M" : value >= 1e4 ? number(value / 1e3) + "k" : number(value);
    }
}

package io.enipam.shell.bundle;

import static io.enipam.shell.status.SampleSeries.perSecond;

import com.google.protobuf.Duration;
import com.google.protobuf.util.Durations;
import io.enipam.shell.pool.PoolViews;
import io.enipam.shell.status.SampleSeries;
import io.enipam.v1.CallMeter;
import io.enipam.v1.HistorySample;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A chart of at most five lines over time, as SVG. The numbers behind each line are in {@code data-values}, the ages of
 * their samples in seconds in {@code data-ages}, the oldest first.
 */
record SvgChart(String title, String unit, double[] ages, List<Line> lines) {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 200;
    private static final int LEFT = 56;
    private static final int RIGHT = 12;
    private static final int TOP = 12;
    private static final int BOTTOM = 24;

    /** One line, with a value for each age; NaN where there is none. */
    record Line(String name, double... values) {}

    SvgChart {
        lines = List.copyOf(lines);
    }

    private static final double MIB = 1 << 20;

    static List<SvgChart> of(List<HistorySample> samples) {
        double[] ages = numbers(samples, sample -> Durations.toSecondsAsDouble(sample.getAge()));
        BiFunction<String, ToDoubleFunction<HistorySample>, Line> line =
                (name, value) -> new Line(name, numbers(samples, value));
        List<Line> pool = List.of(
                line.apply("in use", s -> s.getCounts().getInUse()),
                line.apply("idle", s -> s.getCounts().getIdle()),
                line.apply("cooling", s -> s.getCounts().getCooling()),
                line.apply("reserved", s -> s.getCounts().getReserved()),
                line.apply("waiting", HistorySample::getWaiting));
        List<Line> cni = List.of(
                line.apply("ADD", s -> perSecond(s, SampleSeries.ended(s.getAdd()))),
                line.apply("DEL", s -> perSecond(s, SampleSeries.ended(s.getDel()))),
                line.apply("failed", s -> perSecond(s, PoolViews.failed(s))));
        List<Line> cloud = List.of(
                line.apply("calls", s -> perSecond(s, s.getCloud().getCalls())),
                line.apply("failed", s -> perSecond(s, s.getCloud().getFailed())),
                line.apply("throttled", s -> perSecond(s, s.getCloud().getThrottled())));
        List<Line> memory = List.of(
                line.apply("resident", s -> s.getProcess().getRss() / MIB),
                line.apply("heap", s -> s.getProcess().getHeapUsed() / MIB));
        return List.of(
                new SvgChart("The pool", "addresses", ages, pool),
                new SvgChart("CNI calls", "a second", ages, cni),
                new SvgChart("How long ADD took", "ms", ages, latencies(samples, HistorySample::getAdd)),
                new SvgChart("Calls of the cloud", "a second", ages, cloud),
                new SvgChart("How long commits took", "ms", ages, latencies(samples, HistorySample::getCommits)),
                new SvgChart("Memory of the daemon", "MiB", ages, memory));
    }

    private static List<Line> latencies(List<HistorySample> samples, Function<HistorySample, CallMeter> calls) {
        return List.of(
                new Line("p50", numbers(samples, s -> millis(calls.apply(s), CallMeter::getP50))),
                new Line("p99", numbers(samples, s -> millis(calls.apply(s), CallMeter::getP99))));
    }

    private static double[] numbers(List<HistorySample> samples, ToDoubleFunction<HistorySample> value) {
        return samples.stream().mapToDouble(value).toArray();
    }

    private static double millis(CallMeter calls, Function<CallMeter, Duration> took) {
        return calls.hasP50() ? Durations.toSecondsAsDouble(took.apply(calls)) * 1e3 : Double.NaN;
    }

    void draw(HtmlWriter html) {
        double highest = ceiling(lines.stream()
                .flatMapToDouble(line -> Arrays.stream(line.values()))
                .filter(value -> !Double.isNaN(value))
                .max()
                .orElse(0));
        double oldest = Math.max(1, Arrays.stream(ages).max().orElse(1));
        html.markup("<figure><figcaption>")
                .text(title + ", " + unit)
                .markup("</figcaption>\n<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 " + WIDTH
                        + " " + HEIGHT + "\"><title>")
                .text(title)
                .markup("</title>\n");
        for (int i = 0; i <= 4; i++) {
            double y = y(highest * i / 4, highest);
            String at = number(y);
            html.markup("<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%s\" y2=\"%s\"/>"
                    .formatted(LEFT, WIDTH - RIGHT, at, at));
            label(html, LEFT - 6, y + 4, "end", brief(highest * i / 4));
        }
        label(html, LEFT, HEIGHT - 6, "start", Math.round(oldest / 60) + " min ago");
        label(html, WIDTH - RIGHT, HEIGHT - 6, "end", "now");
        for (int i = 0; i < lines.size(); i++) {
            line(html, lines.get(i), i, highest, oldest);
        }
        html.markup("</svg>\n<p class=\"legend\">");
        for (int i = 0; i < lines.size(); i++) {
            html.markup("<span class=\"k" + i + "\">&#9632;</span> ")
                    .text(lines.get(i).name())
                    .markup(" &#160; ");
        }
        html.markup("</p></figure>\n");
    }

    private void line(HtmlWriter html, Line line, int index, double highest, double oldest) {
        // a hole in the numbers is a hole in the line
        boolean hole = true;
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < ages.length; i++) {
            double value = line.values()[i];
            if (!Double.isNaN(value)) {
                path.append(hole ? "M" : "L").append(number(x(ages[i], oldest))).append(' ');
                path.append(number(y(value, highest)));
            }
            hole = Double.isNaN(value);
        }
        html.markup("<path class=\"line k" + index + "\" data-name=\"")
                .text(line.name())
                .markup("\" data-ages=\"" + joined(ages) + "\" data-values=\"" + joined(line.values()) + "\" d=\""
                        + path + "\"/>\n");
    }

    private static String joined(double... values) {
        return IntStream.range(0, values.length)
                .mapToObj(i -> Double.isNaN(values[i]) ? "-" : number(values[i]))
                .collect(Collectors.joining(" "));
    }

    private static void label(HtmlWriter html, double x, double y, String anchor, String text) {
        html.markup("<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\">")
                .text(text)
                .markup("</text>");
    }

    static double x(double age, double oldest) {
        return LEFT + (WIDTH - LEFT - RIGHT) * (1 - age / oldest);
    }

    static double y(double value, double highest) {
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / highest);
    }

    /** The next of 1, 2, 5, 10, 20, ... so that the marks at the quarters are short numbers. */
    static double ceiling(double value) {
        double step = 1e-3;
        while (true) {
            for (double factor : new double[] {1, 2, 4, 8}) {
                if (value <= step * factor) {
                    return step * factor;
                }
            }
            step *= 10;
        }
    }

    private static String number(double value) {
        String text = String.format(Locale.ROOT, "%.3f", value);
        return text.replaceAll("\\.?0+$", "");
    }

    private static String brief(double value) {
        return value >= 1e6 ? number(value / 1e6) + "M" : value >= 1e4 ? number(value / 1e3) + "k" : number(value);
    }
}

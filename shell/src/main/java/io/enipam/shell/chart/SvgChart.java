package io.enipam.shell.chart;

import com.google.protobuf.util.Durations;
import io.enipam.shell.chart.Chart.Line;
import io.enipam.shell.core.TimeFormat;
import io.enipam.v1.HistorySample;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A chart as SVG. The numbers behind each line are in {@code data-values}, the ages of their samples in seconds in {@code data-ages}, the
 * oldest first.
 */
record SvgChart(Chart chart, SampleSeries series) {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 200;
    private static final int LEFT = 56;
    private static final int RIGHT = 12;
    private static final int TOP = 12;
    private static final int BOTTOM = 24;

    void draw(HtmlWriter html) {
        List<double[]> values =
                chart.lines().stream().map(line -> numbers(line.value())).toList();
        double highest = SvgFigure.ceiling(values.stream()
                .flatMapToDouble(Arrays::stream)
                .filter(value -> !Double.isNaN(value))
                .max()
                .orElse(0));
        double oldest = Math.max(1, series.span().toMillis() / 1e3);
        SvgFigure.begin(html, chart.title(), chart.unit(), WIDTH, HEIGHT);
        for (int i = 0; i <= 4; i++) {
            SvgFigure.grid(html, LEFT, WIDTH - RIGHT, y(highest * i / 4, highest), highest * i / 4);
        }
        SvgFigure.label(html, LEFT, HEIGHT - 6, "start", TimeFormat.span(series.span()) + " ago");
        SvgFigure.label(html, WIDTH - RIGHT, HEIGHT - 6, "end", "now");
        List<Line> lines = chart.lines();
        double[] ages = numbers(sample -> Durations.toSecondsAsDouble(sample.getAge()));
        String data = "\" data-ages=\"" + joined(ages) + "\" data-values=\"";
        for (int i = 0; i < lines.size(); i++) {
            html.markup("<path class=\"line k" + i + "\" data-name=\"")
                    .text(lines.get(i).name())
                    .markup(data + joined(values.get(i)) + "\" d=\"" + path(ages, values.get(i), highest, oldest)
                            + "\"/>\n");
        }
        SvgFigure.end(html, lines.stream().map(Line::name).toList());
    }

    private String path(double[] ages, double[] values, double highest, double oldest) {
        // a hole in the numbers is a hole in the line
        boolean hole = true;
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < ages.length; i++) {
            double value = values[i];
            if (!Double.isNaN(value)) {
                path.append(hole ? "M" : "L")
                        .append(Chart.number(x(ages[i], oldest)))
                        .append(' ');
                path.append(Chart.number(y(value, highest)));
            }
            hole = Double.isNaN(value);
        }
        return path.toString();
    }

    private double[] numbers(ToDoubleFunction<HistorySample> value) {
        return series.samples().stream().mapToDouble(value).toArray();
    }

    private static String joined(double... values) {
        return IntStream.range(0, values.length)
                .mapToObj(i -> Double.isNaN(values[i]) ? "-" : Chart.number(values[i]))
                .collect(Collectors.joining(" "));
    }

    static double x(double age, double oldest) {
        return LEFT + (WIDTH - LEFT - RIGHT) * (1 - age / oldest);
    }

    static double y(double value, double highest) {
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / highest);
    }
}

package io.enipam.shell.chart;

import io.enipam.shell.chart.Chart.Line;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.HistorySample;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The history of a node's pool as columns of characters over one axis of time: one panel a figure, so that they can be told apart without
 * colours. It takes {@value #HEIGHT} lines.
 */
public record TextChart(SampleSeries series, Glyphs glyphs) {
    static final int HEIGHT = 20;

    private static final int ROWS = 3;
    /** The names of the figures, and the numbers beside the axis. */
    private static final int LEFT = 22;

    private static final int NARROWEST = 10;
    private static final int CLOCK = 8;

    /** @param lowest whether the lowest of the values that one column stands for is shown, and not the highest */
    private record Panel(String name, Line line, Tone tone, boolean lowest) {}

    private static final List<Panel> PANELS = List.of(
            new Panel("in use", Chart.IN_USE, Tone.GOOD, false),
            new Panel("idle", Chart.IDLE, Tone.PLAIN, true),
            new Panel("waiting", Chart.WAITING, Tone.BAD, false),
            new Panel("ADD/s", Chart.ADDS, Tone.PLAIN, false),
            new Panel("ADD p99 ms", Chart.ADD_P99, Tone.WAIT, false),
            new Panel("cloud/s", Chart.CLOUD_CALLS, Tone.PLAIN, false));

    /** The picture, in lines of {@code width} cells, where that is enough for a column of ten. */
    public List<String> lines(RenderContext look, int width) {
        int columns = Math.max(NARROWEST, width - LEFT);
        List<String> lines = new ArrayList<>();
        String each = TimeFormat.span(series.span().dividedBy(columns));
        lines.add(look.paint(Tone.LABEL, "the last " + TimeFormat.span(series.span()) + ", " + each + " a column"));
        for (Panel panel : PANELS) {
            lines.addAll(panel(panel, columns, look));
        }
        lines.add(look.paint(Tone.LABEL, " ".repeat(LEFT) + times(columns, look)));
        return lines;
    }

    private List<String> panel(Panel panel, int columns, RenderContext look) {
        double[] values = series.extremes(columns, panel.line().value(), panel.lowest() ? Math::min : Math::max);
        double highest = Arrays.stream(values)
                .filter(value -> !Double.isNaN(value))
                .max()
                .orElse(0);
        List<String> lines = new ArrayList<>();
        List<String> rows = glyphs.area(ROWS, highest, values);
        String[] names = {panel.name(), "now " + latest(panel.line()), ""};
        String[] scale = {Chart.brief(highest), "", "0"};
        for (int row = 0; row < ROWS; row++) {
            String room = " ".repeat(LEFT - names[row].length() - scale[row].length() - 2);
            lines.add(look.paint(row == 0 ? Tone.HEAD : Tone.LABEL, names[row])
                    + look.paint(Tone.LABEL, room + scale[row] + " " + glyphs.axis())
                    + look.paint(panel.tone(), rows.get(row)));
        }
        return lines;
    }

    private String latest(Line line) {
        List<HistorySample> samples = series.samples();
        double value = samples.isEmpty() ? Double.NaN : line.value().applyAsDouble(samples.get(samples.size() - 1));
        return Double.isNaN(value) ? "-" : Chart.brief(value);
    }

    /** The times at the beginning, in the middle and at the end. */
    private String times(int columns, RenderContext look) {
        Instant begin = look.now().minus(series.span());
        StringBuilder times = new StringBuilder(clock(begin, look));
        if (columns >= 4 * CLOCK) {
            times.append(" ".repeat((columns - CLOCK) / 2 - CLOCK))
                    .append(clock(begin.plus(series.span().dividedBy(2)), look));
        }
        String end = clock(look.now(), look);
        return times.append(" ".repeat(Math.max(1, columns - times.length() - CLOCK)))
                .append(end)
                .toString();
    }

    private static String clock(Instant at, RenderContext look) {
        return TimeFormat.clock(at, look.zone());
    }
}

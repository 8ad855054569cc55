package io.enipam.shell.bundle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A chart of lines over time, as SVG. Each line carries the numbers that it was drawn from in {@code data-values}, and the
 * ages of their samples in seconds in {@code data-ages}, so that whoever has the report has the figures.
 *
 * @param title what it shows
 * @param unit of the values
 * @param ages how many seconds ago each value was, the oldest first
 * @param lines the lines, at most five that can be told apart
 */
record SvgChart(String title, String unit, double[] ages, List<Line> lines) {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 200;
    private static final int LEFT = 56;
    private static final int RIGHT = 12;
    private static final int TOP = 12;
    private static final int BOTTOM = 24;

    /**
     * One line.
     *
     * @param values one for each age; NaN where there is none
     */
    record Line(String name, double... values) {}

    SvgChart {
        lines = List.copyOf(lines);
    }

    void draw(HtmlWriter html) {
        double highest = ceiling(lines.stream()
                .flatMapToDouble(line -> Arrays.stream(line.values()))
                .filter(value -> !Double.isNaN(value))
                .max()
                .orElse(0));
        double oldest = Math.max(1, Arrays.stream(ages).max().orElse(1));
        html.markup("<figure><figcaption>")
                .text(unit.isEmpty() ? title : title + ", " + unit)
                .markup("</figcaption>\n<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 " + WIDTH
                        + " " + HEIGHT + "\"><title>")
                .text(title)
                .markup("</title>\n");
        for (int i = 0; i <= 4; i++) {
            double y = y(highest * i / 4, highest);
            html.markup("<line class=\"grid\" x1=\"" + LEFT + "\" x2=\"" + (WIDTH - RIGHT) + "\" y1=\"" + number(y)
                    + "\" y2=\"" + number(y) + "\"/>");
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
        List<String> stretches = new ArrayList<>();
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < line.values().length; i++) {
            double value = line.values()[i];
            if (Double.isNaN(value)) {
                stretches.add(path.toString());
                path.setLength(0);
            } else {
                path.append(path.length() == 0 ? "M" : "L")
                        .append(number(x(ages[i], oldest)))
                        .append(' ')
                        .append(number(y(value, highest)));
            }
        }
        stretches.add(path.toString());
        html.markup("<path class=\"line k" + index + "\" data-name=\"")
                .text(line.name())
                .markup("\" data-ages=\"" + joined(ages) + "\" data-values=\"" + joined(line.values()) + "\" d=\""
                        + String.join("", stretches) + "\"/>\n");
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

package io.enipam.shell.chart;

import java.util.List;

/** What the charts of a page have in common: the figure around a picture, lines of a grid, labels and a legend. */
final class SvgFigure {
    private SvgFigure() {}

    /** Begins a figure of one unit with a picture of that size. */
    static void begin(HtmlWriter html, String title, String unit, int width, int height) {
        html.markup("<figure><figcaption>")
                .text(title + ", " + unit)
                .markup("</figcaption>\n<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 " + width
                        + " " + height + "\"><title>")
                .text(title)
                .markup("</title>\n");
    }

    /** Ends it with a legend: the first of the names has the first of the colours. */
    static void end(HtmlWriter html, List<String> names) {
        html.markup("</svg>\n<p class=\"legend\">");
        for (int i = 0; i < names.size(); i++) {
            html.markup("<span class=\"k" + i + "\">&#9632;</span> ")
                    .text(names.get(i))
                    .markup(" &#160; ");
        }
        html.markup("</p></figure>\n");
    }

    /** A line at a height, with its number at its left. */
    static void grid(HtmlWriter html, int left, int right, double y, double value) {
        String at = Chart.number(y);
        html.markup("<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%s\" y2=\"%s\"/>".formatted(left, right, at, at));
        label(html, left - 6, y + 4, "end", Chart.brief(value));
    }

    static void label(HtmlWriter html, double x, double y, String anchor, String text) {
        html.markup("<text x=\"" + Chart.number(x) + "\" y=\"" + Chart.number(y) + "\" text-anchor=\"" + anchor + "\">")
                .text(text)
                .markup("</text>");
    }

    /** The next of 1, 2, 4, 8, 10, 20, ... so that the marks at the quarters are short numbers. */
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
}

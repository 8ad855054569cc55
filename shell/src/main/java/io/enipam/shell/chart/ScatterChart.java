package io.enipam.shell.chart;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Tone;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Things by two figures of which less is better, as a picture of a page or of a terminal: what no other one dominates is joined by a line,
 * and the present one is marked.
 *
 * @param across what the axis to the right counts
 * @param up what the axis upwards counts
 */
public record ScatterChart(String title, String across, String up, List<Point> points) {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 320;
    private static final int LEFT = 56;
    private static final int RIGHT = 16;
    private static final int TOP = 24;
    private static final int BOTTOM = 40;
    private static final int LINE = 13;
    /** More names than this hide each other; the pointer still shows them. */
    private static final int MOST_NAMES = 10;

    private static final int ROWS = 10;
    private static final int SCALE = 10;

    public ScatterChart {
        points = List.copyOf(points);
    }

    /**
     * @param x at least 0
     * @param y at least 0
     * @param present whether it is the present one
     */
    public record Point(String name, double x, double y, boolean present) {}

    /** Those that no other one dominates, from the left. */
    public List<Point> front() {
        return points.stream()
                .filter(point -> points.stream().noneMatch(other -> dominates(other, point)))
                .sorted(Comparator.comparingDouble(Point::x))
                .toList();
    }

    private static boolean dominates(Point one, Point other) {
        return one.x() <= other.x() && one.y() <= other.y() && (one.x() < other.x() || one.y() < other.y());
    }

    private double widest() {
        return SvgFigure.ceiling(points.stream().mapToDouble(Point::x).max().orElse(0));
    }

    private double highest() {
        return SvgFigure.ceiling(points.stream().mapToDouble(Point::y).max().orElse(0));
    }

    /** As a figure of a page. */
    public void draw(HtmlWriter html) {
        html.markup("<figure><figcaption>").text(title).markup("</figcaption>\n");
        svg(html, "");
        html.markup("</figure>\n");
    }

    /** As a document of its own. */
    public String picture() {
        return HtmlWriter.picture(this::svg);
    }

    private void svg(HtmlWriter html, String style) {
        double widest = widest();
        double highest = highest();
        html.markup("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" font-family=\"sans-serif\" viewBox=\"0 0 "
                        + WIDTH + " " + HEIGHT + "\">" + style + "<title>")
                .text(title)
                .markup("</title>\n");
        for (int i = 0; i <= 4; i++) {
            SvgFigure.grid(html, LEFT, WIDTH - RIGHT, y(highest * i / 4, highest), highest * i / 4);
            SvgFigure.label(
                    html, x(widest * i / 4, widest), HEIGHT - BOTTOM + 16, "middle", Chart.brief(widest * i / 4));
        }
        SvgFigure.label(html, 4, TOP - 10, "start", up);
        SvgFigure.label(html, WIDTH - RIGHT, HEIGHT - 6, "end", across);
        html.markup("\n<path class=\"line k0\" d=\"");
        char command = 'M';
        List<Point> front = front();
        for (Point point : front) {
            html.markup(command + Chart.number(x(point.x(), widest)) + " " + Chart.number(y(point.y(), highest)));
            command = 'L';
        }
        html.markup("\"/>\n");
        for (Point point : points) {
            String look = point.present() ? "k4" : front.contains(point) ? "k0" : "k2";
            String at = "cx=\"" + Chart.number(x(point.x(), widest)) + "\" cy=\"" + Chart.number(y(point.y(), highest))
                    + "\"";
            int radius = point.present() ? 6 : 4;
            html.markup("<circle class=\"" + look + "\" " + at + " r=\"" + radius + "\"><title>")
                    .text(point.name() + ": " + across + " " + Chart.number(point.x()) + ", " + up + " "
                            + Chart.number(point.y()))
                    .markup("</title></circle>\n");
        }
        names(html, widest, highest);
        html.markup("</svg>\n");
    }

    /** Beside their points, on the side that has room, from below, each above the one before. */
    private void names(HtmlWriter html, double widest, double highest) {
        boolean few = points.size() <= MOST_NAMES;
        double last = HEIGHT;
        for (Point point : points.stream()
                .filter(one -> few || one.present())
                .sorted(Comparator.comparingDouble(Point::y))
                .toList()) {
            double x = x(point.x(), widest);
            last = Math.min(y(point.y(), highest) + 4, last - LINE);
            boolean left = x > WIDTH / 2.0;
            SvgFigure.label(html, left ? x - 9 : x + 9, last, left ? "end" : "start", point.name());
        }
        html.markup("\n");
    }

    private static double x(double value, double widest) {
        return LEFT + (WIDTH - LEFT - RIGHT) * value / widest;
    }

    private static double y(double value, double highest) {
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / highest);
    }

    /** As characters, in lines of {@code width} cells, where that is enough for a column of ten; what is drawn last hides the rest. */
    public List<String> lines(RenderContext look, int width) {
        int columns = Math.max(SCALE, width - SCALE - 3);
        double widest = widest();
        double highest = highest();
        char[][] cells = new char[ROWS][columns];
        for (char[] row : cells) {
            Arrays.fill(row, ' ');
        }
        points.forEach(point -> put(cells, point, widest, highest, '.'));
        front().forEach(point -> put(cells, point, widest, highest, '*'));
        points.stream().filter(Point::present).forEach(point -> put(cells, point, widest, highest, '@'));
        List<String> lines = new ArrayList<>();
        lines.add(look.paint(Tone.LABEL, up + "; * the front, @ the present setting"));
        for (int row = 0; row < ROWS; row++) {
            String scale = row == 0 ? Chart.brief(highest) : row == ROWS - 1 ? "0" : "";
            lines.add(look.paint(Tone.LABEL, " ".repeat(Math.max(0, SCALE - scale.length())) + scale + " |")
                    + Palette.clean(new String(cells[row]).stripTrailing()));
        }
        String end = Chart.brief(widest) + " " + across;
        lines.add(look.paint(
                Tone.LABEL, " ".repeat(SCALE + 1) + "0" + " ".repeat(Math.max(1, columns - end.length())) + end));
        return lines;
    }

    private static void put(char[][] cells, Point point, double widest, double highest, char sign) {
        int row = ROWS - 1 - cell(point.y() / highest, ROWS);
        cells[row][cell(point.x() / widest, cells[row].length)] = sign;
    }

    private static int cell(double share, int cells) {
        return (int) Math.min(cells - 1L, Math.round(share * (cells - 1)));
    }
}

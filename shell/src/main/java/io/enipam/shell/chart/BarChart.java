package io.enipam.shell.chart;

import java.util.List;

/**
 * Figures of several things as bars from the left, a group a thing.
 *
 * @param kinds what the bars of a group are; at most five
 * @param groups each with a figure for each kind
 */
public record BarChart(String title, String unit, List<String> kinds, List<Group> groups) {
    private static final int WIDTH = 720;
    private static final int LEFT = 260;
    private static final int RIGHT = 64;
    private static final int BAR = 10;
    private static final int GAP = 8;
    /** A longer name would leave the picture; the pointer shows the whole. */
    private static final int LONGEST_NAME = 42;

    public BarChart {
        kinds = List.copyOf(kinds);
        groups = List.copyOf(groups);
    }

    /** @param values at least 0 */
    public record Group(String name, List<Double> values) {
        public Group {
            values = List.copyOf(values);
        }
    }

    /** As a figure of a page. */
    public void draw(HtmlWriter html) {
        int each = kinds.size() * BAR + GAP;
        int height = groups.size() * each + GAP;
        double longest = groups.stream()
                .flatMap(group -> group.values().stream())
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(0);
        SvgFigure.begin(html, title, unit, WIDTH, height);
        int top = GAP;
        for (Group group : groups) {
            String name = group.name();
            String shown = name.length() > LONGEST_NAME ? name.substring(0, LONGEST_NAME - 1) + "…" : name;
            SvgFigure.label(html, LEFT - 8, top + (kinds.size() * BAR + 8) / 2.0, "end", shown);
            for (int kind = 0; kind < kinds.size(); kind++) {
                double value = group.values().get(kind);
                double width = longest == 0 ? 0 : (WIDTH - LEFT - RIGHT) * value / longest;
                int y = top + kind * BAR;
                html.markup("<rect class=\"k" + kind + "\" x=\"" + LEFT + "\" y=\"" + y + "\" width=\""
                                + Chart.number(Math.max(1, width)) + "\" height=\"" + (BAR - 2) + "\"><title>")
                        .text(name + ", " + kinds.get(kind) + ": " + Chart.number(value) + " " + unit)
                        .markup("</title></rect>");
                SvgFigure.label(html, LEFT + width + 5, y + BAR - 2.0, "start", Chart.brief(value));
            }
            html.markup("\n");
            top += each;
        }
        SvgFigure.end(html, kinds);
    }
}

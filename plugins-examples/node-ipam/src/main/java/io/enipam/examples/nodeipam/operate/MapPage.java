package io.enipam.examples.nodeipam.operate;

import io.enipam.examples.nodeipam.assign.NodeGroups;
import io.enipam.examples.nodeipam.operate.RangeUse.Cell;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The same map as one page of HTML that needs no other file: a square for each block, or for as many as fit. */
final class MapPage {
    /** Of all ranges together: the page stays below a million characters, which is what a command may answer. */
    static final int MOST_CELLS = 4_096;

    private static final int SQUARE = 12;
    private static final int WIDTH = 64;

    /** Told apart by people who do not see all colours, too (Okabe and Ito); the letters do the rest. */
    private static final List<String> COLOURS =
            List.of("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a800", "#6a3d9a");

    private static final String OF_SERVICES = "#555555";
    private static final String OF_NOBODY = "#e8e8e8";

    private MapPage() {}

    static String draw(List<RangeUse> ranges) {
        Legend legend = Legend.of(ranges);
        Map<String, String> colours = colours(legend);
        StringBuilder page = new StringBuilder("""
                <!doctype html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <title>Blocks of the cluster</title>
                <style>
                body { font: 14px sans-serif; margin: 2em; }
                h2 { font-size: 16px; margin: 1.5em 0 .3em; }
                i { display: inline-block; width: 12px; height: 12px; margin-right: .5em; }
                li { list-style: none; }
                </style>
                </head>
                <body>
                """);
        ranges.forEach(range -> draw(range, colours, page));
        page.append("<ul>\n");
        legend.entries()
                .forEach(entry -> line(
                        page,
                        colours.get(entry.group()),
                        entry.group() + ", " + entry.blocks() + (entry.blocks() == 1 ? " block" : " blocks")));
        line(page, OF_NOBODY, "free");
        return page.append("</ul>\n</body>\n</html>").toString();
    }

    private static Map<String, String> colours(Legend legend) {
        Map<String, String> colours = new HashMap<>();
        int next = 0;
        for (Legend.Entry entry : legend.entries()) {
            colours.put(
                    entry.group(),
                    entry.group().equals(NodeGroups.SERVICES) ? OF_SERVICES : COLOURS.get(next++ % COLOURS.size()));
        }
        return colours;
    }

    private static void draw(RangeUse range, Map<String, String> colours, StringBuilder page) {
        int rows = (range.cells().size() + WIDTH - 1) / WIDTH;
        page.append("<h2>").append(escaped(range.title())).append("</h2>\n<p>");
        page.append(range.taken() + " of " + range.blocks() + " taken, " + range.free() + " free");
        int perCell = range.cells().get(0).blocks();
        page.append(perCell == 1 ? "" : "; a square is " + perCell + " blocks, paler where some of them are free");
        page.append("</p>\n<svg width=\"" + WIDTH * SQUARE + "\" height=\"" + rows * SQUARE + "\">\n");
        List<Cell> cells = new ArrayList<>(range.cells());
        for (int at = 0; at < cells.size(); at++) {
            Cell cell = cells.get(at);
            String colour = cell.group().map(colours::get).orElse(OF_NOBODY);
            double opacity = cell.taken() == 0 ? 1 : 0.35 + 0.65 * cell.taken() / cell.blocks();
            page.append(String.format(
                    Locale.ROOT,
                    "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"%s><title>%s</title></rect>\n",
                    at % WIDTH * SQUARE,
                    at / WIDTH * SQUARE,
                    SQUARE - 1,
                    SQUARE - 1,
                    colour,
                    opacity == 1 ? "" : String.format(Locale.ROOT, " fill-opacity=\"%.2f\"", opacity),
                    escaped(told(cell))));
        }
        page.append("</svg>\n");
    }

    private static String told(Cell cell) {
        String who = cell.group().orElse("free");
        return cell.blocks() == 1
                ? cell.first() + ": " + who
                : "from " + cell.first() + " on: " + cell.taken() + " of " + cell.blocks() + " taken"
                        + cell.group()
                                .map(group -> ", most of them by " + group)
                                .orElse("");
    }

    private static void line(StringBuilder page, String colour, String text) {
        page.append("<li><i style=\"background:" + colour + "\"></i>" + escaped(text) + "</li>\n");
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}

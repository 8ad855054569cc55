package io.enipam.examples.nodeipam.operate;

import io.enipam.examples.nodeipam.operate.RangeUse.Cell;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/** Ranges drawn in at most 80 columns: a character for each block, or for as many as fit. */
final class MapText {
    private static final int COLUMNS = 80;
    private static final int MOST_ROWS = 16;
    /** A row has 64 cells behind an IPv4 address, and 32 behind one of IPv6. */
    static final int MOST_CELLS = 64 * MOST_ROWS;

    private MapText() {}

    static String draw(List<RangeUse> ranges) {
        Legend legend = Legend.of(ranges);
        Map<String, Legend.Entry> signs = legend.byGroup();
        List<String> lines = new ArrayList<>();
        boolean several = false;
        for (RangeUse range : ranges) {
            lines.add(range.title() + ": " + range.taken() + " of " + range.blocks() + " taken, " + range.free()
                    + " free");
            int perCell = range.cells().get(0).blocks();
            if (perCell > 1) {
                several = true;
                lines.add("(a character is " + perCell + " blocks)");
            }
            rows(range, signs, lines);
            lines.add("");
        }
        legend.texts().forEach((sign, text) -> lines.add(sign + "  " + text));
        lines.add(Legend.FREE + "  free");
        if (several) {
            lines.add("A character for several blocks is the group that has the most of them: a small");
            lines.add("letter, or : for services, where some of them are free.");
        }
        return String.join("\n", lines);
    }

    private static void rows(RangeUse range, Map<String, Legend.Entry> signs, List<String> lines) {
        List<Cell> cells = range.cells();
        int width = Integer.highestOneBit(COLUMNS - longest(cells, 1) - 1);
        int label = longest(cells, width);
        for (int from = 0; from < cells.size(); from += width) {
            StringBuilder row = new StringBuilder(String.format(
                    Locale.ROOT, "%-" + label + "s ", cells.get(from).first().address()));
            cells.subList(from, Math.min(from + width, cells.size())).forEach(cell -> row.append(sign(cell, signs)));
            lines.add(row.toString());
        }
    }

    /** Of the addresses before each row, where a row has so many cells. */
    private static int longest(List<Cell> cells, int width) {
        return IntStream.range(0, (cells.size() + width - 1) / width)
                .map(row -> cells.get(row * width).first().address().toString().length())
                .max()
                .orElse(0);
    }

    private static char sign(Cell cell, Map<String, Legend.Entry> signs) {
        if (cell.group().isEmpty()) {
            return Legend.FREE;
        }
        char sign = signs.get(cell.group().get()).sign();
        if (cell.taken() == cell.blocks()) {
            return sign;
        }
        return sign == '=' ? ':' : Character.toLowerCase(sign);
    }
}

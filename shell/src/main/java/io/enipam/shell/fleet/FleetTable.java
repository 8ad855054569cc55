package io.enipam.shell.fleet;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableBuffer;
import io.enipam.shell.core.Tone;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What many daemons answered to the same line, each table as one, with the node in front. Not thread-safe. */
public final class FleetTable {
    private static final String INDENT = "    ";

    /** One daemon's answer. */
    private record Part(String node, List<TableBuffer.Block> blocks, List<String> text) {}

    private final List<Part> parts = new ArrayList<>();

    /**
     * Adds a node's answer; the order in which they are added is that of the rows.
     *
     * @param text what it said that is no row of a table
     */
    public void add(String node, TableBuffer sheet, List<String> text) {
        parts.add(new Part(Palette.clean(node), sheet.blocks(), text));
    }

    /** @param limit how many cells of the terminal a line may take; 0 for any number */
    public List<String> lines(Palette palette, int limit) {
        List<String> lines = new ArrayList<>();
        int most = parts.stream().mapToInt(part -> part.blocks().size()).max().orElse(0);
        for (int i = 0; i < most; i++) {
            separate(lines);
            table(i, palette, limit, lines);
        }
        if (parts.stream().anyMatch(part -> !part.text().isEmpty())) {
            separate(lines);
            text(palette, lines);
        }
        return lines;
    }

    private static void separate(List<String> lines) {
        if (!lines.isEmpty()) {
            lines.add("");
        }
    }

    private void table(int at, Palette palette, int limit, List<String> lines) {
        List<Part> having =
                parts.stream().filter(part -> part.blocks().size() > at).toList();
        TableBuffer.Block first = having.get(0).blocks().get(at);
        List<String> headings = new ArrayList<>(List.of("NODE"));
        headings.addAll(first.headings());
        Table table = Table.headed(headings.toArray(String[]::new));
        List<List<String>> under = new ArrayList<>(List.of(List.of()));
        Set<String> silent = new HashSet<>();
        for (Part part : having) {
            List<TableBuffer.Row> rows = part.blocks().get(at).rows();
            if (rows.isEmpty()) {
                silent.add(part.node());
            }
            for (TableBuffer.Row row : rows) {
                List<Table.Cell> cells = new ArrayList<>(List.of(Table.cell(part.node())));
                cells.addAll(row.cells());
                table.row(cells.toArray(Table.Cell[]::new));
                under.add(row.under());
            }
        }
        if (silent.size() == having.size()) {
            lines.add(Palette.clean(first.none())
                    + (having.size() == 1 ? "" : ", on none of " + having.size() + " nodes"));
            return;
        }
        List<String> drawn = table.take(palette, first.flows() ? 0 : limit);
        for (int i = 0; i < drawn.size(); i++) {
            lines.add(drawn.get(i));
            under.get(i).forEach(line -> lines.add(INDENT + Palette.clean(line.replace("\t", "  "))));
        }
    }

    /** Lines as they came, each behind its node. */
    private void text(Palette palette, List<String> lines) {
        int width = parts.stream()
                .filter(part -> !part.text().isEmpty())
                .mapToInt(part -> Table.width(part.node()))
                .max()
                .orElse(0);
        for (Part part : parts) {
            for (String line : part.text()) {
                lines.add(palette.paint(Tone.LABEL, part.node())
                        + " ".repeat(width - Table.width(part.node()))
                        + "  "
                        + line);
            }
        }
    }
}

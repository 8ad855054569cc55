package io.enipam.shell.fleet;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableBuffer;
import io.enipam.shell.core.Tone;
import io.enipam.shell.fleet.NodeReplyWriter.NodeReply;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What many daemons answered to the same line, each table as one, with the node in front; the order of the replies is that of the rows.
 * Lines of text that are no row of a table come last.
 */
record FleetTable(List<NodeReply> replies) {
    private static final String INDENT = "    ";

    private static List<TableBuffer.Block> blocks(NodeReply reply) {
        return reply.sheet().blocks();
    }

    private static List<String> text(NodeReply reply) {
        return reply.out().lines().toList();
    }

    private static String node(NodeReply reply) {
        return Palette.clean(reply.node());
    }

    /** @param limit how many cells of the terminal a line may take; 0 for any number */
    List<String> lines(Palette palette, int limit) {
        List<String> lines = new ArrayList<>();
        int most = replies.stream().mapToInt(part -> blocks(part).size()).max().orElse(0);
        for (int i = 0; i < most; i++) {
            separate(lines);
            table(i, palette, limit, lines);
        }
        if (replies.stream().anyMatch(part -> !text(part).isEmpty())) {
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
        List<NodeReply> having =
                replies.stream().filter(part -> blocks(part).size() > at).toList();
        TableBuffer.Block first = blocks(having.get(0)).get(at);
        List<String> headings = new ArrayList<>(List.of("NODE"));
        headings.addAll(first.headings());
        Table table = Table.headed(headings.toArray(String[]::new));
        List<List<String>> under = new ArrayList<>(List.of(List.of()));
        Set<String> silent = new HashSet<>();
        for (NodeReply part : having) {
            List<TableBuffer.Row> rows = blocks(part).get(at).rows();
            if (rows.isEmpty()) {
                silent.add(node(part));
            }
            for (TableBuffer.Row row : rows) {
                List<Table.Cell> cells = new ArrayList<>(List.of(Table.cell(node(part))));
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
        int width = replies.stream()
                .filter(part -> !text(part).isEmpty())
                .mapToInt(part -> Table.width(node(part)))
                .max()
                .orElse(0);
        for (NodeReply part : replies) {
            for (String line : text(part)) {
                lines.add(palette.paint(Tone.LABEL, node(part))
                        + " ".repeat(width - Table.width(node(part)))
                        + "  "
                        + line);
            }
        }
    }
}

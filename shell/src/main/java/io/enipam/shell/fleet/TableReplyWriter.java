package io.enipam.shell.fleet;

import io.enipam.shell.core.ErrorLine;
import io.enipam.shell.core.NaturalOrder;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.SessionOutput;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** One table over all nodes, in the order of their names, and below it a line for each that failed. */
final class TableReplyWriter extends NodeReplyWriter {
    private final List<NodeReply> kept = new ArrayList<>();
    private final int columns;

    TableReplyWriter(SessionOutput screen, int nodes, int columns) {
        super(screen, nodes);
        this.columns = columns;
    }

    @Override
    void write(NodeReply answer) {
        kept.add(answer);
    }

    @Override
    void finish() {
        kept.sort(Comparator.comparing(NodeReply::node, NaturalOrder.ORDER));
        FleetTable table = new FleetTable();
        kept.forEach(answer ->
                table.add(answer.node(), answer.sheet(), answer.out().lines().toList()));
        table.lines(screen.outPalette(), columns).forEach(screen.out()::println);
        screen.out().flush();
        kept.forEach(answer -> complain(screen, answer));
    }

    /** What a node said on stderr, and what failed there. */
    static void complain(SessionOutput screen, NodeReply answer) {
        String node = Palette.clean(answer.node());
        answer.err().lines().forEach(line -> screen.err().println(node + ": " + line));
        answer.trouble()
                .ifPresent(e -> screen.err()
                        .println(ErrorLine.forPerson(
                                screen.errPalette(), answer.what().isEmpty() ? node : node + ": " + answer.what(), e)));
    }
}

package io.enipam.shell.fanout;

import io.enipam.shell.command.ErrorLine;
import io.enipam.shell.command.Screen;
import io.enipam.shell.render.FleetTable;
import io.enipam.shell.render.Palette;
import io.enipam.shell.text.Natural;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** One table over all nodes, in the order of their names, and below it a line for each that failed. */
final class Tables extends Answers {
    private final List<NodeAnswer> kept = new ArrayList<>();
    private final int columns;

    Tables(Screen screen, int nodes, int columns) {
        super(screen, nodes);
        this.columns = columns;
    }

    @Override
    void write(NodeAnswer answer) {
        kept.add(answer);
    }

    @Override
    void finish() {
        kept.sort(Comparator.comparing(NodeAnswer::node, Natural.ORDER));
        FleetTable table = new FleetTable();
        kept.forEach(answer ->
                table.add(answer.node(), answer.sheet(), answer.out().lines().toList()));
        table.lines(screen.outPalette(), columns).forEach(screen.out()::println);
        screen.out().flush();
        kept.forEach(answer -> complain(screen, answer));
    }

    /** What a node said on stderr, and what failed there. */
    static void complain(Screen screen, NodeAnswer answer) {
        String node = Palette.clean(answer.node());
        answer.err().lines().forEach(line -> screen.err().println(node + ": " + line));
        answer.trouble()
                .ifPresent(e -> screen.err()
                        .println(ErrorLine.forPerson(
                                screen.errPalette(), answer.what().isEmpty() ? node : node + ": " + answer.what(), e)));
    }
}

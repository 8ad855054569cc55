package io.enipam.shell.fanout;

import io.enipam.shell.command.Screen;
import io.enipam.shell.render.Palette;

/** The node and an identifier a line, as they come. */
final class Names extends Answers {
    Names(Screen screen, int nodes) {
        super(screen, nodes);
    }

    @Override
    void write(NodeAnswer answer) {
        String node = Palette.clean(answer.node());
        answer.out().lines().forEach(line -> screen.out().println(node + " " + line));
        screen.out().flush();
        Tables.complain(screen, answer);
    }

    @Override
    void finish() {}
}

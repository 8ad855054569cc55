package io.enipam.shell.fleet;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.SessionOutput;

/** The node and an identifier a line, as they come. */
final class NameReplyWriter extends NodeReplyWriter {
    NameReplyWriter(SessionOutput screen, int nodes) {
        super(screen, nodes);
    }

    @Override
    void write(NodeReply answer) {
        String node = Palette.clean(answer.node());
        answer.out().lines().forEach(line -> screen.out().println(node + " " + line));
        screen.out().flush();
        TableReplyWriter.complain(screen, answer);
    }

    @Override
    void finish() {}
}

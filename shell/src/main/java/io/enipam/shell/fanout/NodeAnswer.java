package io.enipam.shell.fanout;

import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.render.Sheet;
import java.util.Optional;

/**
 * What came of one node.
 *
 * @param sheet the rows of its tables
 * @param out what it printed otherwise
 * @param what the command that failed; empty if nothing was tried yet
 * @param trouble why it failed
 */
record NodeAnswer(
        String node, int status, Sheet sheet, String out, String err, String what, Optional<ShellException> trouble) {
    /** A node that could not be asked. */
    static NodeAnswer none(String node, ShellException why) {
        return new NodeAnswer(node, why.exit().status(), new Sheet(), "", "", "", Optional.of(why));
    }

    boolean done() {
        return status == Exit.DONE.status();
    }
}

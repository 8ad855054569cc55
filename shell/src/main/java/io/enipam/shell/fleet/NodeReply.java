package io.enipam.shell.fleet;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.TableBuffer;
import java.util.Optional;

/**
 * What came of one node.
 *
 * @param sheet the rows of its tables
 * @param out what it printed otherwise
 * @param what the command that failed; empty if nothing was tried yet
 * @param trouble why it failed
 */
record NodeReply(
        String node,
        int status,
        TableBuffer sheet,
        String out,
        String err,
        String what,
        Optional<ShellException> trouble) {
    /** A node that could not be asked. */
    static NodeReply none(String node, ShellException why) {
        return new NodeReply(node, why.exit().status(), new TableBuffer(), "", "", "", Optional.of(why));
    }

    boolean done() {
        return status == ExitStatus.DONE.status();
    }
}

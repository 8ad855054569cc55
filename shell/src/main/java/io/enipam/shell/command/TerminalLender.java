package io.enipam.shell.command;

import java.util.function.Consumer;
import org.jline.terminal.Terminal;

/** Where a command may draw on all of the person's terminal. */
@FunctionalInterface
public interface TerminalLender {
    /** Lends the terminal for an act, which leaves it as it found it. */
    void lend(Consumer<Terminal> act);
}

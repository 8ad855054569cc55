package io.enipam.shell.core;

import java.util.function.Consumer;
import org.jline.terminal.Terminal;

/** Where a command may draw on all of the person's terminal. */
@FunctionalInterface
public interface TerminalAccess {
    /** Lends the terminal for an act, which leaves it as it found it. */
    public void withTerminal(Consumer<Terminal> act);
}

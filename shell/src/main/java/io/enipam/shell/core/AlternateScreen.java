package io.enipam.shell.core;

import java.io.IOError;
import java.io.PrintWriter;
import org.jline.terminal.Attributes;
import org.jline.terminal.Terminal;
import org.jline.utils.Curses;
import org.jline.utils.InfoCmp.Capability;
import org.jspecify.annotations.Nullable;

/**
 * The terminal's second screen, while a program draws on it. The first one comes back once: at {@link #close}, or when
 * a signal ends the process. Thread-safe; nothing is drawn after it was given back.
 *
 * <p>At a signal all shutdown hooks run at once, and JLine's own closes the terminal, which then refuses to be written
 * to. So what gives the screen back is put together when it is taken, and goes to the writer that was the terminal's
 * then: that one outlives it. Pictures go there as well, or a frame would fail in its middle.
 */
public final class AlternateScreen implements AutoCloseable {
    private final Terminal terminal;
    private final PrintWriter writer;
    private final Attributes before;
    private final String taking;
    private final String giving;
    private final Thread atExit = new Thread(this::giveBack, "enipam-screen");
    private boolean givenBack;

    /** Takes the screen and the keys one by one; switches on what {@code also} says, which {@code andBack} undoes. */
    public AlternateScreen(Terminal terminal, String also, String andBack) {
        this.terminal = terminal;
        this.writer = terminal.writer();
        this.taking = sequence(terminal, Capability.enter_ca_mode) + also;
        this.giving = andBack + sequence(terminal, Capability.exit_ca_mode);
        this.before = terminal.enterRawMode();
        Runtime.getRuntime().addShutdownHook(atExit);
        retake();
    }

    /** What makes a terminal do something; empty if it cannot. */
    public static String sequence(Terminal terminal, Capability capability, Object... parameters) {
        @Nullable String known = terminal.getStringCapability(capability);
        return known == null ? "" : Curses.tputs(known, parameters);
    }

    /** Takes it again, after another program has had the terminal for a while. */
    public void retake() {
        draw(() -> {
            writer.print(taking);
            writer.flush();
        });
    }

    /** Draws something, unless the screen was given back; it comes back only after all of that is drawn. */
    public synchronized void draw(Runnable picture) {
        if (!givenBack) {
            picture.run();
        }
    }

    /** Where pictures are drawn; it works on when the terminal is closed. */
    public PrintWriter writer() {
        return writer;
    }

    private synchronized void giveBack() {
        if (givenBack) {
            return;
        }
        givenBack = true;
        writer.print(giving);
        writer.flush();
        try {
            terminal.setAttributes(before);
        } catch (IllegalStateException | IOError closed) {
            // closing the terminal restored its attributes
        }
    }

    @Override
    public void close() {
        giveBack();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException exiting) {
            // the hook runs already, and has nothing left to do
        }
    }
}

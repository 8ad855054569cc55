package io.enipam.shell.core;

import java.io.PrintWriter;
import java.util.List;
import org.jline.terminal.Attributes;
import org.jline.terminal.Attributes.ControlChar;
import org.jline.terminal.Terminal;
import org.jline.utils.InfoCmp.Capability;

/**
 * A terminal's whole screen, drawn line by line where something has changed; the screen that was there before comes back at
 * the end. Thread-safe: the end may come from another thread, such as that of a signal, and nothing is drawn after it.
 *
 * <p>A frame is one write, between the marks of a synchronised update (DEC mode 2026), which terminals that do not know it
 * ignore: half a frame never shows.
 */
public final class Canvas implements AutoCloseable {
    private static final String BEGIN = "\u001b[?2026h";
    private static final String END = "\u001b[?2026l";
    private static final String NO_WRAP = "\u001b[?7l";
    private static final String WRAP = "\u001b[?7h";

    private final Terminal terminal;
    private final AlternateScreen screen;
    private List<String> shown = List.of();
    private boolean fresh = true;

    public Canvas(Terminal terminal) {
        this.terminal = terminal;
        this.screen = new AlternateScreen(
                terminal,
                AlternateScreen.sequence(terminal, Capability.cursor_invisible) + NO_WRAP,
                WRAP + AlternateScreen.sequence(terminal, Capability.cursor_normal));
        Attributes raw = terminal.getAttributes();
        // suspending would leave the shell before on a screen that is not its own
        raw.setControlChar(ControlChar.VSUSP, 0);
        terminal.setAttributes(raw);
    }

    /** Whether a terminal can do what is needed here. */
    public static boolean fits(Terminal terminal) {
        return terminal.getStringCapability(Capability.cursor_address) != null
                && terminal.getStringCapability(Capability.clr_eol) != null
                && !terminal.getType().startsWith(Terminal.TYPE_DUMB);
    }

    /** Draws everything anew at the next frame: another program has written, or the size has changed. */
    public synchronized void forget() {
        fresh = true;
    }

    /** Shows these lines, from the top; none is wider than the screen. */
    public synchronized void draw(List<String> lines) {
        screen.draw(() -> frame(lines));
    }

    private void frame(List<String> lines) {
        PrintWriter out = screen.writer();
        out.print(BEGIN);
        if (fresh) {
            out.print(AlternateScreen.sequence(terminal, Capability.clear_screen));
        }
        int most = Math.max(lines.size(), fresh ? 0 : shown.size());
        for (int row = 0; row < most; row++) {
            String now = row < lines.size() ? lines.get(row) : "";
            String was = fresh || row >= shown.size() ? "" : shown.get(row);
            if (!now.equals(was)) {
                out.print(AlternateScreen.sequence(terminal, Capability.cursor_address, row, 0));
                out.print(AlternateScreen.sequence(terminal, Capability.clr_eol));
                out.print(now);
            }
        }
        out.print(END);
        out.flush();
        shown = List.copyOf(lines);
        fresh = false;
    }

    @Override
    public void close() {
        screen.close();
    }
}

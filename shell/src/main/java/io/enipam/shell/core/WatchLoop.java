package io.enipam.shell.core;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jline.utils.AttributedString;

/**
 * Prints something again and again until it is interrupted: on a terminal in its place, elsewhere one behind the other with a
 * line between them, as JSON one document a line.
 */
final class WatchLoop {
    private static final String HOME = "\u001b[H";
    private static final String TO_END_OF_LINE = "\u001b[K";
    private static final String TO_END_OF_SCREEN = "\u001b[J";

    private final Session session;
    private final OutputFormat format;
    private final PrintStream out;
    private final Duration pace;

    public WatchLoop(Session session, OutputFormat format, PrintStream out, Duration pace) {
        this.session = session;
        this.format = format;
        this.out = out;
        this.pace = pace;
    }

    /**
     * Prints until it is interrupted, or nobody reads it any more.
     *
     * @param once prints it as it is
     * @param line it as one line of JSON
     * @param table it as the lines of a table
     * @throws ShellException if the daemon refuses; on a terminal, one that is away for a while is waited for
     */
    public void run(Runnable once, Supplier<String> line, Supplier<List<String>> table) {
        Optional<TerminalSize> screen = format.structured() ? Optional.empty() : session.size();
        boolean more = true;
        for (int turn = 0; more; turn++) {
            if (screen.isPresent()) {
                redraw(turn == 0, table);
            } else if (format == OutputFormat.JSON) {
                out.println(line.get());
            } else {
                out.print(turn == 0 ? "" : separator() + System.lineSeparator());
                once.run();
            }
            out.flush();
            more = !out.checkError() && Interrupts.pause(pace);
        }
        if (!out.checkError()) {
            throw new ShellException(ExitStatus.INTERRUPTED, "", "interrupted", "");
        }
    }

    private String separator() {
        return format == OutputFormat.TABLE || format == OutputFormat.WIDE ? "--- " + now() : "---";
    }

    private Instant now() {
        return session.renderContext().now().truncatedTo(ChronoUnit.SECONDS);
    }

    /** Writes all of it in one go over what is there, so that nothing flickers. */
    private void redraw(boolean first, Supplier<List<String>> table) {
        List<String> lines = new ArrayList<>();
        lines.add(session.screen()
                .outPalette()
                .paint(Tone.LABEL, "every " + pace.toMillis() / 1000.0 + " s, " + now() + "; Ctrl-C ends"));
        try {
            lines.addAll(table.get());
        } catch (ShellException e) {
            if (e.exit() != ExitStatus.NOT_ATTACHED) {
                throw e;
            }
            lines.add(session.screen().outPalette().paint(Tone.BAD, Palette.clean(e.sentence())));
        }
        int room = session.size().map(TerminalSize::rows).orElse(24) - 1;
        int more = lines.size() - room;
        List<String> shown = more > 0 ? lines.subList(0, room - 1) : lines;
        StringBuilder frame = new StringBuilder(first ? "\u001b[2J" + HOME : HOME);
        int columns = session.size().map(TerminalSize::columns).orElse(80);
        shown.forEach(line ->
                frame.append(clipped(line, columns)).append(TO_END_OF_LINE).append("\r\n"));
        if (more > 0) {
            frame.append("... ")
                    .append(more + 1)
                    .append(" more")
                    .append(TO_END_OF_LINE)
                    .append("\r\n");
        }
        out.print(frame.append(TO_END_OF_SCREEN));
    }

    /** A line that wraps takes two rows, and then the screen would scroll at each turn. */
    public static String clipped(String line, int columns) {
        AttributedString all = AttributedString.fromAnsi(line);
        return all.columnLength() <= columns
                ? line
                : all.columnSubSequence(0, columns).toAnsi();
    }
}

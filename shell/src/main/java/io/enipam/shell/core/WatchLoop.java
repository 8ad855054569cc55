package io.enipam.shell.core;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Session.TerminalSize;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jline.utils.AttributedString;

/** Prints something again and again until Ctrl-C, or until its reader goes away. */
public final class WatchLoop {
    private static final String HOME = "\u001b[H";
    private static final String TO_END_OF_LINE = "\u001b[K";
    private static final String TO_END_OF_SCREEN = "\u001b[J";

    private final Session session;
    private final Duration pace;

    public WatchLoop(Session session, Duration pace) {
        this.session = session;
        this.pace = pace;
    }

    /** What a turn shows; {@code note} is shown below the lines, also if not all of them have room. */
    public record Frame(List<String> lines, Optional<String> note) {}

    /** On a terminal in its place, elsewhere one behind the other, with a line between. */
    public void run(Supplier<Frame> frame, Runnable printed) {
        Optional<TerminalSize> screen = session.size();
        run(turn -> {
            if (screen.isPresent()) {
                redraw(turn == 0, frame.get());
            } else {
                out().print(turn == 0 ? "" : "--- " + now() + System.lineSeparator());
                printed.run();
            }
        });
    }

    /** Runs each turn, which is numbered from 0 on. Throws {@link ShellException} when it was interrupted. */
    void run(IntConsumer each) {
        boolean more = true;
        for (int turn = 0; more; turn++) {
            each.accept(turn);
            out().flush();
            more = !out().checkError() && Interrupts.pause(pace);
        }
        if (!out().checkError()) {
            throw ShellException.interrupted();
        }
    }

    private PrintStream out() {
        return session.screen().out();
    }

    private Instant now() {
        return session.clock().instant().truncatedTo(ChronoUnit.SECONDS);
    }

    /** Writes all of it in one go over what is there, so that nothing flickers. */
    private void redraw(boolean first, Frame seen) {
        List<String> lines = new ArrayList<>();
        String head = "every " + pace.toMillis() / 1000.0 + " s, " + now() + "; Ctrl-C ends";
        lines.add(session.screen().outPalette().paint(Tone.LABEL, head));
        lines.addAll(seen.lines());
        TerminalSize size = session.size().orElse(new TerminalSize(80, 24));
        int room = size.rows() - 1 - (seen.note().isPresent() ? 1 : 0);
        int more = lines.size() - room;
        List<String> shown = more > 0 ? lines.subList(0, Math.max(1, room - 1)) : lines;
        StringBuilder text = new StringBuilder(first ? "\u001b[2J" + HOME : HOME);
        shown.forEach(line -> text.append(clipped(line, size.columns()) + TO_END_OF_LINE + "\r\n"));
        if (more > 0) {
            text.append("... " + (more + 1) + " more" + TO_END_OF_LINE + "\r\n");
        }
        seen.note().ifPresent(note -> text.append(clipped(note, size.columns()) + TO_END_OF_LINE + "\r\n"));
        out().print(text.append(TO_END_OF_SCREEN));
    }

    /** A line that wraps takes two rows, and then the screen would scroll at each turn. */
    private static String clipped(String line, int columns) {
        AttributedString all = AttributedString.fromAnsi(line);
        return all.columnLength() <= columns
                ? line
                : all.columnSubSequence(0, columns).toAnsi();
    }
}

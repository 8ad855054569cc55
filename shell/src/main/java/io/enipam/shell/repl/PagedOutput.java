package io.enipam.shell.repl;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jline.terminal.Terminal;
import org.jline.utils.AttributedString;
import org.jspecify.annotations.Nullable;

/**
 * Stands between commands and the terminal: passes on what a command writes, and shows it in a pager once that is more
 * than the screen holds, while the command goes on. Lines older than a second count as read; once a command moves the
 * cursor itself, the rest of its output is not paged. {@link #err} waits for the pager's end. {@link #interrupt} may be
 * called by any thread, all else by the one that runs commands.
 */
public final class PagedOutput {
    private static final long READ = Duration.ofSeconds(1).toNanos();
    private static final int ESCAPE = 27;

    private final Terminal terminal;
    private final PrintStream screen;
    private final PrintStream errors;
    private final PrintStream out;
    private final PrintStream err;
    private final boolean enabled;
    private final ByteArrayOutputStream held = new ByteArrayOutputStream();
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final List<String> shown = new ArrayList<>();
    private final Charset charset;
    private int rows;
    private long lastLine;
    private boolean running;
    private boolean direct;
    private Runnable left = () -> {};
    private volatile @Nullable Pager pager;

    /** @param wanted whether to page at all */
    public PagedOutput(Terminal terminal, PrintStream screen, PrintStream errors, boolean wanted) {
        this.terminal = terminal;
        this.screen = screen;
        this.errors = errors;
        this.enabled = wanted && !terminal.getType().startsWith(Terminal.TYPE_DUMB);
        this.charset = terminal.encoding();
        this.out = new PrintStream(new Answers(), false, charset);
        this.err = new PrintStream(new Errors(), true, charset);
    }

    public PrintStream out() {
        return out;
    }

    public PrintStream err() {
        return err;
    }

    /** What to do when the reader leaves the pager before the command has ended. */
    public void whenLeft(Runnable action) {
        left = action;
    }

    public void begin() {
        running = true;
        direct = !enabled;
        rows = 0;
        shown.clear();
        line.reset();
    }

    /** The command has ended: waits until the reader leaves the pager. */
    public void end() {
        out.flush();
        Pager open = pager;
        if (open != null) {
            endLine();
            open.text.complete();
            open.await();
            pager = null;
        }
        running = false;
        err.flush();
    }

    /** Ctrl-C: leaves the pager. */
    public void interrupt() {
        Pager open = pager;
        if (open != null) {
            open.quit();
        }
    }

    private boolean paging() {
        return pager != null;
    }

    private final class Answers extends OutputStream {
        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            if (!running || direct) {
                screen.write(bytes, offset, length);
                return;
            }
            int from = offset;
            for (int i = offset; i < offset + length; i++) {
                line.write(bytes[i]);
                if (bytes[i] == '\n') {
                    from = passed(bytes, from, i + 1);
                    endLine();
                }
            }
            passed(bytes, from, offset + length);
        }

        private int passed(byte[] bytes, int from, int to) {
            if (!paging()) {
                screen.write(bytes, from, to - from);
            }
            return to;
        }

        @Override
        public void flush() {
            if (!paging()) {
                screen.flush();
            }
        }
    }

    private void endLine() {
        if (line.size() == 0) {
            return;
        }
        String written = line.toString(charset);
        line.reset();
        if (movesTheCursor(written)) {
            direct = !paging();
            return;
        }
        String content = written.endsWith("\n") ? written.substring(0, written.length() - 1) : written;
        Pager open = pager;
        if (open != null) {
            open.text.add(content);
            return;
        }
        long now = System.nanoTime();
        if (now - lastLine > READ) {
            rows = 0;
            shown.clear();
        }
        lastLine = now;
        shown.add(content);
        rows += 1 + (AttributedString.stripAnsi(content).length() - 1) / Math.max(1, terminal.getWidth());
        if (rows >= terminal.getHeight() && terminal.getHeight() > 3) {
            page();
        }
    }

    /** Whether a line has an escape sequence that is not a colour: then it is no text that can be paged. */
    private static boolean movesTheCursor(String written) {
        for (int at = written.indexOf(ESCAPE); at >= 0; at = written.indexOf(ESCAPE, at + 1)) {
            int end = at + 2;
            while (end < written.length() && (Character.isDigit(written.charAt(end)) || written.charAt(end) == ';')) {
                end++;
            }
            if (end >= written.length() || written.charAt(at + 1) != '[' || written.charAt(end) != 'm') {
                return true;
            }
        }
        return false;
    }

    private void page() {
        screen.flush();
        PagerBuffer all = new PagerBuffer();
        shown.forEach(all::add);
        shown.clear();
        Pager fresh = new Pager(terminal, all, left);
        pager = fresh;
        fresh.start();
    }

    private final class Errors extends OutputStream {
        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            synchronized (held) {
                held.write(bytes, offset, length);
                flush();
            }
        }

        @Override
        public void flush() {
            synchronized (held) {
                if (!paging()) {
                    errors.write(held.toByteArray(), 0, held.size());
                    held.reset();
                    errors.flush();
                }
            }
        }
    }

    /**
     * The lines between the command and its reader. The writer waits when it is far ahead, so that an endless stream
     * does not fill the memory; the oldest lines go. Thread-safe.
     */
    static final class PagerBuffer {
        /** How far a command may be ahead. */
        private static final int AHEAD = 20_000;

        /** How many lines can be gone back. */
        private static final int KEPT = 50_000;

        private final List<String> lines = new ArrayList<>();
        private long dropped;
        private long wanted;
        private boolean complete;
        private boolean closed;

        /** Adds a line; waits while too many are unread. After {@link #close} it is dropped. */
        synchronized void add(String line) {
            while (!closed && end() - wanted > AHEAD) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    closed = true;
                }
            }
            if (closed) {
                return;
            }
            if (lines.size() > KEPT) {
                int surplus = KEPT / 10;
                lines.subList(0, surplus).clear();
                dropped += surplus;
            }
            lines.add(line);
        }

        synchronized void complete() {
            complete = true;
        }

        synchronized boolean isComplete() {
            return complete;
        }

        /** Says that the reader is gone. */
        synchronized void close() {
            closed = true;
            notifyAll();
        }

        /** The number of the first line there is; the first of all is 0. */
        synchronized long first() {
            return dropped;
        }

        /** The number of the line after the last. */
        synchronized long end() {
            return dropped + lines.size();
        }

        /** The line with a number; empty if it is there no more, or not yet. */
        synchronized Optional<String> line(long number) {
            boolean there = number >= dropped && number < end();
            return there ? Optional.of(lines.get((int) (number - dropped))) : Optional.empty();
        }

        /** Up to {@code count} lines from the one with a number on, and word for the writer of how far the reader is. */
        synchronized List<String> from(long number, int count) {
            wanted = Math.max(wanted, number);
            notifyAll();
            int start = (int) Math.min(lines.size(), Math.max(0, number - dropped));
            return List.copyOf(lines.subList(start, Math.min(lines.size(), start + count)));
        }
    }
}

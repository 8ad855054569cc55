package io.enipam.shell.pager;

import io.enipam.shell.core.AlternateScreen;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jline.keymap.BindingReader;
import org.jline.keymap.KeyMap;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.Terminal.SignalHandler;
import org.jline.utils.AttributedString;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;

/**
 * The screen and the keys of a {@link PagerBuffer}, on the alternate screen and a thread of its own while the command
 * goes on. Ends at {@code q} or {@link #quit}.
 */
final class Pager {
    private static final Duration TICK = Duration.ofMillis(100);
    private static final int GONE = -1;
    private static final char ENTER = '\r';
    private static final char BACKSPACE = 127;
    private static final char ESCAPE = 27;

    /** What keys do. */
    private enum Key {
        DOWN,
        UP,
        PAGE_DOWN,
        PAGE_UP,
        HALF_DOWN,
        HALF_UP,
        START,
        END,
        LEFT,
        RIGHT,
        SEARCH,
        NEXT,
        PREVIOUS,
        FOLLOW,
        QUIT,
        NONE
    }

    private final Terminal terminal;
    private final PagerBuffer text;
    private final PagerViewport view;
    private final BindingReader keys;
    private final KeyMap<Key> map;
    private final Runnable left;
    private final Thread thread = new Thread(this::run, "enipam-pager");
    private volatile boolean resized = true;
    private volatile boolean over;

    /**
     * @param left run when the reader leaves before the end of the text
     */
    Pager(Terminal terminal, PagerBuffer text, Runnable left) {
        this.terminal = terminal;
        this.text = text;
        this.view = new PagerViewport(text);
        this.keys = new BindingReader(terminal.reader());
        this.map = keyMap(terminal);
        this.left = left;
        thread.setDaemon(true);
    }

    private static KeyMap<Key> keyMap(Terminal terminal) {
        KeyMap<Key> map = new KeyMap<>();
        map.setNomatch(Key.NONE);
        map.setUnicode(Key.NONE);
        map.bind(Key.DOWN, "j", "e", "\r", "\n", "\033[B", KeyMap.key(terminal, Capability.key_down));
        map.bind(Key.UP, "k", "y", "\033[A", KeyMap.key(terminal, Capability.key_up));
        map.bind(Key.PAGE_DOWN, " ", "f", "\033[6~", KeyMap.key(terminal, Capability.key_npage));
        map.bind(Key.PAGE_UP, "b", "\033[5~", KeyMap.key(terminal, Capability.key_ppage));
        map.bind(Key.HALF_DOWN, "d");
        map.bind(Key.HALF_UP, "u");
        map.bind(Key.START, "g", "<", "\033[H", KeyMap.key(terminal, Capability.key_home));
        map.bind(Key.END, "G", ">", "\033[F", KeyMap.key(terminal, Capability.key_end));
        map.bind(Key.LEFT, "h", "\033[D", KeyMap.key(terminal, Capability.key_left));
        map.bind(Key.RIGHT, "l", "\033[C", KeyMap.key(terminal, Capability.key_right));
        map.bind(Key.SEARCH, "/");
        map.bind(Key.NEXT, "n");
        map.bind(Key.PREVIOUS, "N");
        map.bind(Key.FOLLOW, "F");
        map.bind(Key.QUIT, "q", "Q", KeyMap.ctrl('D'));
        return map;
    }

    void start() {
        thread.start();
    }

    /** Ends it from outside, as Ctrl-C does. */
    void quit() {
        over = true;
        text.close();
    }

    /** Returns when the reader has left it. */
    void await() {
        try {
            thread.join();
        } catch (InterruptedException e) {
            quit();
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            show();
        } catch (IllegalStateException closed) {
            // a signal ends the process and has closed the terminal: the screen was given back
        } finally {
            text.close(); // else a terminal that fails would keep the command waiting for a reader
        }
    }

    private void show() {
        AlternateScreen screen = new AlternateScreen(
                terminal,
                AlternateScreen.sequence(terminal, Capability.keypad_xmit),
                AlternateScreen.sequence(terminal, Capability.keypad_local));
        SignalHandler resizing = terminal.handle(Signal.WINCH, signal -> resized = true);
        SignalHandler continuing = terminal.handle(Signal.CONT, signal -> wakeUp(screen));
        Display display = new Display(terminal, true);
        try {
            while (!over) {
                screen.draw(() -> paint(display, ""));
                int c = keys.peekCharacter(TICK.toMillis());
                if (c >= 0) {
                    pressed(screen, display, keys.readBinding(map, null, false));
                } else if (c == GONE) {
                    over = true;
                }
            }
        } finally {
            boolean early = !text.isComplete();
            text.close();
            screen.close();
            terminal.handle(Signal.WINCH, resizing);
            terminal.handle(Signal.CONT, continuing);
            if (early) {
                left.run();
            }
        }
    }

    /** After Ctrl-Z and fg: another program has had the terminal. */
    private void wakeUp(AlternateScreen screen) {
        terminal.enterRawMode();
        screen.retake();
        resized = true;
    }

    private void paint(Display display, String typed) {
        if (resized) {
            resized = false;
            Size size = terminal.getSize();
            view.resize(size.getRows(), size.getColumns());
            display.resize(size.getRows(), size.getColumns());
            display.clear();
            terminal.puts(Capability.clear_screen);
        }
        List<AttributedString> screen = view.screen(typed);
        display.update(screen, terminal.getSize().cursorPos(screen.size() - 1, 0));
        terminal.flush();
    }

    private void pressed(AlternateScreen screen, Display display, Key key) {
        switch (key == null ? Key.QUIT : key) {
            case DOWN -> view.scroll(1);
            case UP -> view.scroll(-1);
            case PAGE_DOWN -> view.pages(1);
            case PAGE_UP -> view.pages(-1);
            case HALF_DOWN -> view.halfPages(1);
            case HALF_UP -> view.halfPages(-1);
            case START -> view.toStart();
            case END -> view.toEnd();
            case LEFT -> view.sideways(-1);
            case RIGHT -> view.sideways(1);
            case SEARCH -> search(screen, display);
            case NEXT -> view.search("", true);
            case PREVIOUS -> view.search("", false);
            case FOLLOW -> view.follow();
            case QUIT -> over = true;
            case NONE -> {}
        }
    }

    /** Reads what to look for at the bottom of the screen: Enter looks, Escape does not. */
    private void search(AlternateScreen screen, Display display) {
        StringBuilder typed = new StringBuilder();
        while (!over) {
            screen.draw(() -> paint(display, "/" + typed));
            int c = keys.peekCharacter(TICK.toMillis());
            if (c == GONE) {
                over = true;
            } else if (c >= 0) {
                c = keys.readCharacter();
                if (c == ENTER || c == '\n') {
                    view.search(typed.toString(), true);
                    return;
                }
                if (c == ESCAPE) {
                    return;
                }
                edit(typed, c);
            }
        }
    }

    private static void edit(StringBuilder typed, int c) {
        if (c == BACKSPACE || c == '\b') {
            typed.setLength(Math.max(0, typed.length() - 1));
        } else if (!Character.isISOControl(c)) {
            typed.appendCodePoint(c);
        }
    }

    /**
     * The lines between the command and its reader. The writer waits when it is far ahead, so that an endless stream
     * does not fill the memory; the oldest lines go. Thread-safe.
     */
    static final class PagerBuffer {
        /** How far a command may be ahead. */
        static final int AHEAD = 20_000;

        /** How many lines can be gone back. */
        static final int KEPT = 50_000;

        private final List<String> lines = new ArrayList<>();
        private long dropped;
        private long wanted;
        private boolean complete;
        private boolean closed;

        /** Adds a line; waits while too many are unread. After {@link #close} it is dropped. */
        synchronized void add(String line) {
            while (!closed && dropped + lines.size() - wanted > AHEAD) {
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

        /** Says that no more lines come. */
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

        synchronized boolean isClosed() {
            return closed;
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
            boolean there = number >= dropped && number < dropped + lines.size();
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

package io.enipam.shell.repl;

import io.enipam.shell.core.AlternateScreen;
import io.enipam.shell.repl.PagedOutput.PagerBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jline.keymap.BindingReader;
import org.jline.keymap.KeyMap;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.Terminal.SignalHandler;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;

/** A {@link PagerBuffer} on the alternate screen, by a thread of its own; ends at {@code q} or {@link #quit}. */
final class Pager {
    private static final Duration TICK = Duration.ofMillis(100);
    private static final int GONE = -1;
    private static final char ENTER = '\r';
    private static final char BACKSPACE = 127;
    private static final char ESCAPE = 27;

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
    final PagerBuffer text;
    private final PagerViewport view;
    private final BindingReader keys;
    private final KeyMap<Key> map;
    private final Runnable left;
    private final Thread thread = new Thread(this::run, "enipam-pager");
    private volatile boolean resized = true;
    private volatile boolean over;

    /** @param left run when the reader leaves before the end of the text */
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
            case START -> view.scroll(Long.MIN_VALUE / 2);
            case END -> view.scroll(Long.MAX_VALUE / 2);
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

    /** Which part of the text is on the screen. Lines are not wrapped, as tables are read by columns. */
    private static final class PagerViewport {
        private final PagerBuffer text;
        private int rows;
        private int columns;
        private long top;
        private int left;
        private boolean follows;
        private String searched = "";
        private String message = "";

        PagerViewport(PagerBuffer text) {
            this.text = text;
        }

        void resize(int newRows, int newColumns) {
            rows = Math.max(2, newRows);
            columns = Math.max(10, newColumns);
        }

        private int page() {
            return rows - 1;
        }

        /** Goes down, or up if negative. */
        void scroll(long by) {
            follows = false;
            message = "";
            top = bounded(top + by);
        }

        void pages(int by) {
            scroll((long) by * Math.max(1, page() - 1));
        }

        void halfPages(int by) {
            scroll((long) by * Math.max(1, page() / 2));
        }

        /** Stays at the end, whatever comes. */
        void follow() {
            scroll(Long.MAX_VALUE / 2);
            follows = true;
        }

        void sideways(int halfScreens) {
            left = Math.max(0, left + halfScreens * Math.max(1, columns / 2));
        }

        private long bounded(long number) {
            return Math.max(text.first(), Math.min(number, text.end() - page()));
        }

        /** Goes to the next or the previous line with a text, in any case; empty text repeats the last search. */
        void search(String what, boolean forwards) {
            searched = what.isEmpty() ? searched : what.toLowerCase(Locale.ROOT);
            follows = false;
            long step = forwards ? 1 : -1;
            for (long at = top + step; at >= text.first() && at < text.end(); at += step) {
                String line = text.line(at).orElse(""); // the oldest may go while this looks
                if (AttributedString.stripAnsi(line).toLowerCase(Locale.ROOT).contains(searched)) {
                    top = at;
                    message = "";
                    return;
                }
            }
            message = "not found: " + searched;
        }

        /** The screen, and at its bottom where one is, or what is typed to search for. */
        List<AttributedString> screen(String typed) {
            top = follows ? bounded(Long.MAX_VALUE / 2) : Math.max(text.first(), top);
            List<AttributedString> screen = new ArrayList<>();
            text.from(top, page()).forEach(line -> screen.add(shown(line)));
            while (screen.size() < page()) {
                screen.add(new AttributedString("~", AttributedStyle.DEFAULT.faint()));
            }
            String bottom = typed.isEmpty() ? status() : typed;
            screen.add(new AttributedString(
                    bottom.length() < columns ? bottom : bottom.substring(0, columns - 1), AttributedStyle.INVERSE));
            return screen;
        }

        private AttributedString shown(String line) {
            AttributedString all = marked(AttributedString.fromAnsi(line.replace("\t", "        ")));
            int width = all.columnLength();
            if (left >= width) {
                return AttributedString.EMPTY;
            }
            if (width - left <= columns) {
                return all.columnSubSequence(left, width);
            }
            return new AttributedStringBuilder()
                    .append(all.columnSubSequence(left, left + columns - 1))
                    .styled(AttributedStyle.INVERSE, ">")
                    .toAttributedString();
        }

        private AttributedString marked(AttributedString line) {
            int found = line.toString().toLowerCase(Locale.ROOT).indexOf(searched);
            if (found < 0 || searched.isEmpty()) {
                return line;
            }
            int end = found + searched.length();
            return new AttributedStringBuilder()
                    .append(line.subSequence(0, found))
                    .styled(AttributedStyle.INVERSE, line.toString().substring(found, end))
                    .append(line.subSequence(end, line.length()))
                    .toAttributedString();
        }

        private String status() {
            long last = Math.min(top + page(), text.end());
            boolean end = text.isComplete() && top + page() >= text.end();
            String of = text.end() + (text.isComplete() ? "" : "+");
            String idle = follows ? "following, q quits" : "q quits, space pages, / searches";
            return " lines " + (top + 1) + "-" + last + " of " + of + (end ? " (end)" : "") + "  "
                    + (message.isEmpty() ? idle : message) + " ";
        }
    }
}

package io.enipam.shell.core;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Session.SessionOutput;
import io.grpc.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jline.keymap.BindingReader;
import org.jline.keymap.KeyMap;
import org.jline.reader.EndOfFileException;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.Terminal.SignalHandler;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.NonBlockingReader;

/**
 * A picture on the whole terminal that is drawn anew when there is news or a key was typed, with what a command says of a part of it in
 * its place. One object runs once, on one thread; it looks for news on a thread of its own, so that keys work meanwhile.
 *
 * @param <T> what is seen at one look
 */
public final class LiveScreen<T> {
    public static final String REVERSE = "\u001b[7m";
    private static final String PLAIN = "\u001b[0m";
    private static final long KEY_WAIT_MILLIS = 100;
    private static final Duration FIRST_LOOK_PAUSE = Duration.ofMillis(20);

    private final Terminal terminal;
    private final Session session;
    private final View<T> view;
    private List<String> opened = List.of();
    private volatile boolean resized;

    /** A key, or {@link #TEXT} for what types a text. */
    public enum Key {
        UP,
        DOWN,
        LEFT,
        RIGHT,
        ENTER,
        BACKSPACE,
        ESCAPE,
        TEXT
    }

    /** What follows a key. */
    public enum Next {
        STAY,
        LEAVE,
        /** The output of {@link View#commands} takes the picture's place until the next key. */
        OPEN
    }

    /** What is drawn, and what keys do to it; all on the thread of the screen. */
    public interface View<T> {
        /** At most {@code height} lines, none wider than the {@code look} has columns. */
        List<String> picture(T seen, RenderContext look, int height);

        /** What keys there are, for the last line. */
        String keys();

        /** @param typed the key's own text, such as {@code q} */
        Next obey(Key key, String typed, T seen);

        /** The commands that say more of where the cursor is, each of so many words; none if it is nowhere. */
        List<List<String>> commands(T seen);

        /** How long from one look to the next. */
        Duration pace();

        /** Whether news is not shown. */
        default boolean paused() {
            return false;
        }
    }

    public LiveScreen(Terminal terminal, Session session, View<T> view) {
        this.terminal = terminal;
        this.session = session;
        this.view = view;
    }

    /** A line in reverse video, as the cursor is shown. */
    public static String reversed(String plain) {
        return REVERSE + plain + PLAIN;
    }

    /**
     * Runs until the view is left; the screen is as it was before in every case. Throws what the first look throws, what a later one throws
     * other than that the daemon is away, and if the command is interrupted.
     *
     * @param look one look, which may wait for its deadline
     */
    public void run(Supplier<T> look) {
        SignalHandler interrupted =
                terminal.handle(Signal.INT, signal -> session.interrupts().interrupt());
        SignalHandler winch = terminal.handle(Signal.WINCH, signal -> resized = true);
        try (Looks<T> looks = new Looks<>(look, view.pace())) {
            T first = first(looks);
            try (Canvas canvas = new Canvas(terminal)) {
                show(canvas, looks, first);
            }
        } catch (EndOfFileException ended) {
            // a signal ends the process, and the exit status shows it
        } finally {
            terminal.handle(Signal.INT, interrupted);
            terminal.handle(Signal.WINCH, winch);
        }
    }

    /** The first look fails on the screen that is there, not on one that is gone a moment later. */
    private static <T> T first(Looks<T> looks) {
        while (looks.latest().isEmpty()) {
            if (!Interrupts.pause(FIRST_LOOK_PAUSE)) {
                throw ShellException.interrupted();
            }
        }
        return looks.latest().get();
    }

    private void show(Canvas canvas, Looks<T> looks, T first) {
        BindingReader keys = new BindingReader(terminal.reader());
        KeyMap<Key> bound = bound();
        T shown = first;
        String away = "";
        paint(canvas, shown, away);
        while (true) {
            int next = keys.peekCharacter(KEY_WAIT_MILLIS);
            if (Context.current().isCancelled()) {
                throw ShellException.interrupted();
            }
            boolean changed = next >= 0;
            if (next == NonBlockingReader.EOF) {
                return;
            } else if (changed && !obey(keys.readBinding(bound), keys.getLastBinding(), shown)) {
                return;
            }
            looks.pace(view.pace());
            if (resized) {
                resized = false;
                canvas.forget();
                changed = true;
            }
            T latest = looks.latest().orElse(shown);
            if (!view.paused() && (latest != shown || !looks.away().equals(away))) {
                shown = latest;
                away = looks.away();
                changed = true;
            }
            if (changed) {
                paint(canvas, shown, away);
            }
        }
    }

    private KeyMap<Key> bound() {
        KeyMap<Key> keys = new KeyMap<>();
        keys.setNomatch(Key.TEXT);
        keys.setUnicode(Key.TEXT);
        bind(keys, Key.UP, Capability.key_up, "\u001b[A");
        bind(keys, Key.DOWN, Capability.key_down, "\u001b[B");
        bind(keys, Key.RIGHT, Capability.key_right, "\u001b[C");
        bind(keys, Key.LEFT, Capability.key_left, "\u001b[D");
        bind(keys, Key.BACKSPACE, Capability.key_backspace, "\u007f", "\b");
        keys.bind(Key.ENTER, "\r", "\n");
        keys.bind(Key.ESCAPE, "\u001b");
        return keys;
    }

    private void bind(KeyMap<Key> keys, Key key, Capability capability, String... others) {
        String known = KeyMap.key(terminal, capability);
        if (known != null) {
            keys.bind(key, known);
        }
        keys.bind(key, others);
    }

    /** False if the screen is left. */
    private boolean obey(Key key, String typed, T seen) {
        if (!opened.isEmpty()) {
            opened = List.of();
            return true;
        }
        Next next = view.obey(key, typed, seen);
        if (next == Next.OPEN) {
            opened = view.commands(seen).stream()
                    .flatMap(words -> said(words).stream())
                    .toList();
        }
        return next != Next.LEAVE;
    }

    private List<String> said(List<String> words) {
        List<String> lines = session.capture(
                OutputFormat.TABLE,
                inner -> inner.commands(words)
                        .setExecutionExceptionHandler((failure, command, parsed) -> {
                            SessionOutput screen = inner.screen();
                            screen.out()
                                    .println(screen.outPalette().paint(Tone.BAD, String.valueOf(failure.getMessage())));
                            return ExitStatus.REFUSED.status();
                        })
                        .execute(words.toArray(String[]::new)));
        return lines.isEmpty() ? List.of("'" + String.join(" ", words) + "' says nothing") : lines;
    }

    private void paint(Canvas canvas, T seen, String away) {
        Size size = terminal.getSize();
        // the last column stays free: some terminals go on to the next line by themselves
        int width = Math.max(1, size.getColumns() - 1);
        int height = Math.max(1, size.getRows());
        RenderContext look = session.renderContext(width);
        int room = height - (away.isEmpty() ? 1 : 2);
        List<String> lines = new ArrayList<>((opened.isEmpty() ? view.picture(seen, look, room) : opened)
                .stream().limit(room).toList());
        while (lines.size() < room) {
            lines.add("");
        }
        if (!away.isEmpty()) {
            lines.add(look.paint(Tone.BAD, Palette.clean(away)));
        }
        lines.add(look.paint(Tone.LABEL, opened.isEmpty() ? view.keys() : "any key: back"));
        canvas.draw(
                lines.stream().map(line -> Prose.wrapped(line, width, 0).get(0)).toList());
    }

    /** Looks again and again on its own thread. Thread-safe; {@code this} guards all. */
    private static final class Looks<T> implements AutoCloseable {
        private final Supplier<T> look;
        private Duration pace;
        private Optional<T> latest = Optional.empty();
        private Optional<RuntimeException> broken = Optional.empty();
        private String away = "";
        private boolean closed;

        Looks(Supplier<T> look, Duration pace) {
            this.look = look;
            this.pace = pace;
            Thread thread = new Thread(Context.current().wrap(this::run), "enipam-live");
            thread.setDaemon(true);
            thread.start();
        }

        private void run() {
            try {
                while (!isClosed()) {
                    once();
                    rest();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException e) {
                synchronized (this) {
                    broken = Optional.of(e);
                }
            }
        }

        private void once() {
            try {
                T seen = look.get();
                synchronized (this) {
                    latest = Optional.of(seen);
                    away = "";
                }
            } catch (ShellException e) {
                synchronized (this) {
                    if (latest.isEmpty() || e.exit() != ExitStatus.NOT_ATTACHED) {
                        throw e;
                    }
                    away = e.sentence();
                }
            }
        }

        private synchronized boolean isClosed() {
            return closed;
        }

        private synchronized void rest() throws InterruptedException {
            long begun = System.nanoTime();
            long left = pace.toNanos();
            while (!closed && left > 0) {
                wait(left / 1_000_000, (int) (left % 1_000_000));
                left = pace.toNanos() - (System.nanoTime() - begun);
            }
        }

        synchronized void pace(Duration other) {
            if (!pace.equals(other)) {
                pace = other;
                notifyAll();
            }
        }

        /** The latest look; empty before the first. Throws what ended the looks. */
        synchronized Optional<T> latest() {
            broken.ifPresent(failure -> {
                throw failure;
            });
            return latest;
        }

        /** Why the daemon does not answer now; empty if it does. */
        synchronized String away() {
            return away;
        }

        @Override
        public synchronized void close() {
            closed = true;
            notifyAll();
        }
    }
}

package io.enipam.shell.status;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.chart.Glyphs;
import io.enipam.shell.core.Canvas;
import io.enipam.shell.core.Interrupts;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.ShippedText;
import io.enipam.shell.core.Tone;
import io.enipam.shell.status.Dashboard.Snapshot;
import io.grpc.Context;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.Terminal.SignalHandler;
import org.jline.utils.ClosedException;
import org.jline.utils.NonBlockingReader;

/** The dashboard on a terminal, until the operator leaves it. One object runs once, on one thread. */
public final class LiveTop {
    private static final long KEY_WAIT_MILLIS = 100;
    private static final Duration FIRST_LOOK_PAUSE = Duration.ofMillis(20);
    private static final List<Duration> INTERVALS = LongStream.of(500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000)
            .mapToObj(Duration::ofMillis)
            .toList();

    private final Terminal terminal;
    private final Supplier<RenderContext> look;
    private final Glyphs glyphs;
    private Duration interval;
    private boolean paused;
    private boolean helping;
    private volatile boolean resized;

    public LiveTop(Terminal terminal, Supplier<RenderContext> look, Glyphs glyphs, Duration interval) {
        this.terminal = terminal;
        this.look = look;
        this.glyphs = glyphs;
        this.interval = interval;
    }

    /**
     * Runs until {@code q}; the screen is as it was before in every case. {@code observe} is one look at the daemon; at
     * Ctrl-C {@code interrupt} is called, which ends the running command, and this throws, as the first look may.
     */
    public void run(Supplier<Snapshot> observe, Runnable interrupt) {
        SignalHandler interrupted = terminal.handle(Signal.INT, signal -> interrupt.run());
        SignalHandler winch = terminal.handle(Signal.WINCH, signal -> resized = true);
        try (SnapshotPoller watch = new SnapshotPoller(observe, interval)) {
            Snapshot first = first(watch);
            try (Canvas canvas = new Canvas(terminal)) {
                show(canvas, watch, first);
            }
        } catch (ClosedException ended) {
            // a signal ends the process, and the exit status shows it
        } catch (IOException e) {
            String why = "the terminal cannot be read: " + e.getMessage();
            throw new ShellException(ExitStatus.REFUSED, "", why, "", e);
        } finally {
            terminal.handle(Signal.INT, interrupted);
            terminal.handle(Signal.WINCH, winch);
        }
    }

    /** The first look fails on the screen that is there, not on one that is gone a moment later. */
    private static Snapshot first(SnapshotPoller watch) {
        while (watch.latest().isEmpty()) {
            if (!Interrupts.pause(FIRST_LOOK_PAUSE)) {
                throw ShellException.interrupted();
            }
        }
        return watch.latest().get();
    }

    private void show(Canvas canvas, SnapshotPoller watch, Snapshot first) throws IOException {
        Snapshot shown = first;
        NonBlockingReader keys = terminal.reader();
        paint(canvas, shown);
        while (true) {
            int key = keys.read(KEY_WAIT_MILLIS);
            if (Context.current().isCancelled()) {
                throw ShellException.interrupted();
            }
            boolean changed = obey(key, watch);
            if (key == 'q' || key == NonBlockingReader.EOF) {
                return;
            }
            if (resized) {
                resized = false;
                canvas.forget();
                changed = true;
            }
            Snapshot latest = watch.latest().orElse(shown);
            if (!paused && latest != shown) {
                shown = latest;
                changed = true;
            }
            if (changed) {
                paint(canvas, shown);
            }
        }
    }

    private boolean obey(int key, SnapshotPoller watch) {
        switch (key) {
            case 'p', ' ' -> paused = !paused;
            case '?', 'h' -> helping = !helping;
            case '+', '=' -> every(watch, -1);
            case '-', '_' -> every(watch, 1);
            default -> {
                return false;
            }
        }
        return true;
    }

    private void every(SnapshotPoller watch, int step) {
        List<Duration> others = INTERVALS.stream()
                .filter(other -> other.compareTo(interval) * step > 0)
                .toList();
        if (!others.isEmpty()) {
            interval = step > 0 ? others.get(0) : others.get(others.size() - 1);
            watch.setInterval(interval);
        }
    }

    private void paint(Canvas canvas, Snapshot glance) {
        Size size = terminal.getSize();
        RenderContext now = look.get();
        // the last column stays free: some terminals go on to the next line by themselves
        int width = Math.max(1, size.getColumns() - 1);
        int height = Math.max(1, size.getRows());
        List<String> lines = new ArrayList<>();
        if (helping) {
            ShippedText.of(LiveTop.class, "top.txt")
                    .lines()
                    .limit(height - 1)
                    .forEach(line -> lines.add(new StyledLine().add(line).in(now.palette(), width)));
        } else {
            lines.addAll(new Dashboard(glyphs, now).frame(glance, width, height - 1, paused));
        }
        lines.addAll(Collections.nCopies(Math.max(0, height - 1 - lines.size()), ""));
        long millis = interval.toMillis();
        String every = millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
        String keys = "q leaves  p pauses  + - every " + every + "  ? helps";
        lines.add(new StyledLine().add(Tone.LABEL, keys).in(now.palette(), width));
        canvas.draw(lines);
    }

    /** Looks again and again on its own thread, so that keys work meanwhile. Thread-safe; {@code this} guards all. */
    private static final class SnapshotPoller implements AutoCloseable {
        private final Supplier<Snapshot> look;
        private final Thread thread;
        private Duration interval;
        private Optional<Snapshot> latest = Optional.empty();
        private Optional<RuntimeException> broken = Optional.empty();
        private boolean closed;

        SnapshotPoller(Supplier<Snapshot> look, Duration interval) {
            this.look = look;
            this.interval = interval;
            this.thread = new Thread(Context.current().wrap(this::run), "enipam-top");
            thread.setDaemon(true);
            thread.start();
        }

        private void run() {
            try {
                while (!isClosed()) {
                    Snapshot seen = look.get();
                    synchronized (this) {
                        latest = Optional.of(seen);
                    }
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

        private synchronized boolean isClosed() {
            return closed;
        }

        private synchronized void rest() throws InterruptedException {
            long begun = System.nanoTime();
            long left = interval.toNanos();
            while (!closed && left > 0) {
                wait(left / 1_000_000, (int) (left % 1_000_000));
                left = interval.toNanos() - (System.nanoTime() - begun);
            }
        }

        synchronized void setInterval(Duration newInterval) {
            interval = newInterval;
            notifyAll();
        }

        /** The latest look; empty before the first. Throws what ended the watch. */
        synchronized Optional<Snapshot> latest() {
            broken.ifPresent(failure -> {
                throw failure;
            });
            return latest;
        }

        @Override
        public synchronized void close() {
            closed = true;
            notifyAll();
        }
    }
}

package io.enipam.shell.core;

import java.io.PrintStream;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A line on a terminal that says what is being waited for, after a second, and is gone when the wait is over. */
public final class ProgressLine {
    private static final String ERASE = "\r\u001b[K";

    private final PrintStream err;
    private final String what;
    private final @Nullable ScheduledExecutorService ticker;
    private int seconds;
    private boolean done;

    private ProgressLine(PrintStream err, String what, boolean shown) {
        this.err = err;
        this.what = what;
        this.ticker = shown
                ? Executors.newSingleThreadScheduledExecutor(task -> {
                    Thread thread = new Thread(task, "enipam-progress");
                    thread.setDaemon(true);
                    return thread;
                })
                : null;
        if (ticker != null) {
            ticker.scheduleAtFixedRate(this::tick, 1, 1, TimeUnit.SECONDS);
        }
    }

    /** Waits for something; without a terminal nothing is ever shown. */
    public static <T> T during(SessionOutput screen, String what, Supplier<T> wait) {
        ProgressLine progress = new ProgressLine(screen.err(), what, screen.errIsTerminal());
        try {
            return wait.get();
        } finally {
            progress.end();
        }
    }

    private synchronized void tick() {
        if (!done) {
            seconds++;
            err.print(ERASE + what + "... " + seconds + "s");
            err.flush();
        }
    }

    private synchronized void end() {
        if (!done && seconds > 0) {
            err.print(ERASE);
            err.flush();
        }
        done = true;
        if (ticker != null) {
            ticker.shutdownNow();
        }
    }
}

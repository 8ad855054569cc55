package io.enipam.shell.core;

import io.enipam.shell.core.Session.SessionOutput;
import java.io.PrintStream;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A line on a terminal that says what is being waited for, after a second, and is gone when the wait is over. */
public final class ProgressLine {
    private static final String ERASE = "\r\u001b[K";

    private final PrintStream err;
    private final Supplier<String> what;
    private int seconds;
    private boolean done;

    private ProgressLine(PrintStream err, Supplier<String> what) {
        this.err = err;
        this.what = what;
    }

    /** Waits for something; without a terminal nothing is ever shown. */
    public static <T> T during(SessionOutput screen, String what, Supplier<T> wait) {
        return during(screen, () -> what, wait);
    }

    /** The same with a text that changes meanwhile, asked for each second on a thread of its own. */
    public static <T> T during(SessionOutput screen, Supplier<String> what, Supplier<T> wait) {
        if (!screen.errIsTerminal()) {
            return wait.get();
        }
        ProgressLine progress = new ProgressLine(screen.err(), what);
        ScheduledExecutorService ticker =
                Executors.newSingleThreadScheduledExecutor(Interrupts.daemonThreads("enipam-progress"));
        ticker.scheduleAtFixedRate(progress::tick, 1, 1, TimeUnit.SECONDS);
        try {
            return wait.get();
        } finally {
            ticker.shutdownNow();
            progress.end();
        }
    }

    private synchronized void tick() {
        if (!done) {
            seconds++;
            print(ERASE + what.get() + "... " + seconds + "s");
        }
    }

    private synchronized void end() {
        done = true;
        if (seconds > 0) {
            print(ERASE);
        }
    }

    private void print(String text) {
        err.print(text);
        err.flush();
    }
}

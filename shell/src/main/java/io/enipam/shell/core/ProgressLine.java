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
    private final String what;
    private int seconds;
    private boolean done;

    private ProgressLine(PrintStream err, String what) {
        this.err = err;
        this.what = what;
    }

    /** Waits for something; without a terminal nothing is ever shown. */
    public static <T> T during(SessionOutput screen, String what, Supplier<T> wait) {
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
            print(ERASE + what + "... " + seconds + "s");
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

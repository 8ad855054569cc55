package io.enipam.daemon;

import ch.qos.logback.classic.LoggerContext;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.LoggerFactory;

/**
 * How the process ends. A JVM that a signal stops exits with 128 + the signal's number however well its hooks did; a daemon
 * that was asked to stop, and did, has succeeded. So the hook closes the daemon and then ends the JVM with the code itself.
 */
final class ProcessExit {
    private final AtomicReference<Daemon> daemon;
    private final AtomicInteger code = new AtomicInteger();
    private volatile boolean ending;

    ProcessExit(Daemon daemon) {
        this.daemon = new AtomicReference<>(daemon);
    }

    /**
     * Puts another daemon in the place of one that has closed. One that is put there while the process ends is closed before
     * it starts, or as it does.
     */
    void continueWith(Daemon next) {
        daemon.set(next);
        if (ending) {
            next.close();
        }
    }

    /** Closes the daemon there is. */
    void close() {
        ending = true;
        daemon.get().close();
    }

    /** Decides the exit code. */
    int with(int decided) {
        code.set(decided);
        return decided;
    }

    /** The shutdown hook: for a signal as for {@code System.exit}. */
    void onSignal() {
        close();
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            // writes out what still waits in the asynchronous appender
            context.stop();
        }
        Runtime.getRuntime().halt(code.get());
    }
}

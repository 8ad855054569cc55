package io.enipam.daemon;

import ch.qos.logback.classic.LoggerContext;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.LoggerFactory;

/**
 * The end of the process. A JVM that a signal stops exits with 128 + the signal's number even if its hooks succeed, but
 * a daemon that was asked to stop, and did, has succeeded. Therefore the hook closes the daemon and then ends the JVM
 * with the code itself.
 */
final class ProcessExit {
    private final AtomicReference<Daemon> daemon;
    private final AtomicInteger code = new AtomicInteger();
    private volatile boolean ending;

    ProcessExit(Daemon daemon) {
        this.daemon = new AtomicReference<>(daemon);
    }

    /**
     * Replaces a closed daemon with another one. If the process is ending, the other one is closed before or during its
     * start.
     */
    void continueWith(Daemon next) {
        daemon.set(next);
        if (ending) {
            next.close();
        }
    }

    void close() {
        ending = true;
        daemon.get().close();
    }

    int with(int decided) {
        code.set(decided);
        return decided;
    }

    /** The shutdown hook: for a signal and for {@code System.exit}. */
    void onSignal() {
        close();
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            // writes the records that still wait in the asynchronous appender
            context.stop();
        }
        Runtime.getRuntime().halt(code.get());
    }
}

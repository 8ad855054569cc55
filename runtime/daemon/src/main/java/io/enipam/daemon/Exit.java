package io.enipam.daemon;

import ch.qos.logback.classic.LoggerContext;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.LoggerFactory;

/**
 * How the process ends. A JVM that a signal stops exits with 128 + the signal's number however well its hooks did; a daemon
 * that was asked to stop, and did, has succeeded. So the hook closes the daemon and then ends the JVM with the code itself.
 */
final class Exit {
    private final Daemon daemon;
    private final AtomicInteger code = new AtomicInteger();

    Exit(Daemon daemon) {
        this.daemon = daemon;
    }

    /** Decides the exit code. */
    int with(int decided) {
        code.set(decided);
        return decided;
    }

    /** The shutdown hook: for a signal as for {@code System.exit}. */
    void onSignal() {
        daemon.close();
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            // writes out what still waits in the asynchronous appender
            context.stop();
        }
        Runtime.getRuntime().halt(code.get());
    }
}

package io.enipam.daemon;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CancellationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opened resources, closed in reverse order, each even if another fails. Thread-safe: a signal may close while the
 * start-up is still opening; a resource opened after that is closed at once, and the start-up is stopped by an
 * exception.
 */
final class Closer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Closer.class);

    private record Step(String name, AutoCloseable closer) {}

    @GuardedBy("this")
    private final Deque<Step> steps = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean closing;

    <T extends AutoCloseable> T push(String name, T opened) {
        Step step = new Step(name, opened);
        synchronized (this) {
            if (!closing) {
                steps.push(step);
                return opened;
            }
        }
        close(step);
        throw new CancellationException("stopped while starting");
    }

    /** Closes everything; a second call waits for the first and does nothing else. */
    @Override
    public synchronized void close() {
        closing = true;
        while (!steps.isEmpty()) {
            close(steps.pop());
        }
    }

    private static void close(Step step) {
        try {
            LOG.debug("closing {}", step.name());
            step.closer().close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            LOG.warn("interrupted while closing {}", step.name());
        } catch (Exception e) {
            LOG.error("{} could not be closed", step.name(), e);
        }
    }
}

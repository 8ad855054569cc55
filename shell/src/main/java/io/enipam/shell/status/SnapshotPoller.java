package io.enipam.shell.status;

import io.grpc.Context;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Looks again and again on a thread of its own, so that keys are heard while the daemon takes its time. Thread-safe; {@code
 * this} guards all.
 */
final class SnapshotPoller implements AutoCloseable {
    private final Supplier<DashboardSnapshot> look;
    private final Thread thread;
    private Duration interval;
    private Optional<DashboardSnapshot> latest = Optional.empty();
    private Optional<RuntimeException> broken = Optional.empty();
    private boolean closed;

    /** @param look one look; what it throws ends the watch */
    SnapshotPoller(Supplier<DashboardSnapshot> look, Duration interval) {
        this.look = look;
        this.interval = interval;
        this.thread = new Thread(Context.current().wrap(this::run), "enipam-top");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (!isClosed()) {
                DashboardSnapshot seen = look.get();
                synchronized (this) {
                    latest = Optional.of(seen);
                }
                rest();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private synchronized void fail(RuntimeException e) {
        broken = Optional.of(e);
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
    synchronized Optional<DashboardSnapshot> latest() {
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

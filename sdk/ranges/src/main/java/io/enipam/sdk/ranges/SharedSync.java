package io.enipam.sdk.ranges;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import org.jspecify.annotations.Nullable;

/**
 * An fsync(2) that callers share. It covers what was written before it began, so a caller that comes while one runs waits for the next one,
 * and with it all that come meanwhile: eight callers cost two, not eight. Thread-safe.
 *
 * <p>A round that fails fails for each of its callers: the kernel tells an error once, and a second fsync would succeed without the data.
 * Where the thread that runs a round is interrupted, it alone fails, and another one of the round runs it anew.
 */
final class SharedSync {
    private final Disk disk;

    // both guarded by this
    private Round next = new Round();
    private boolean running;

    SharedSync(Disk disk) {
        this.disk = disk;
    }

    /** What waits until all that was written is on the disk. */
    interface Disk {
        void sync() throws IOException;
    }

    /** The callers that one fsync serves. Its fields are guarded by the {@link SharedSync}. */
    private static final class Round {
        private boolean done;
        private @Nullable IOException failure;
    }

    /** Returns when what this thread has written before is on the disk. */
    void await() throws IOException {
        Round mine;
        synchronized (this) {
            mine = next;
            while (running && !mine.done) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IOException("interrupted while the disk was waited for", e);
                }
            }
            if (mine.failure != null) {
                throw new IOException(mine.failure.getMessage(), mine.failure);
            }
            if (mine.done) {
                return;
            }
            running = true;
            if (next == mine) {
                next = new Round();
            }
        }
        run(mine);
    }

    private void run(Round mine) throws IOException {
        boolean done = false;
        IOException failure = null;
        try {
            disk.sync();
            done = true;
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) {
            done = true;
            failure = e;
            throw e;
        } finally {
            synchronized (this) {
                running = false;
                mine.done = done;
                mine.failure = failure;
                notifyAll();
            }
        }
    }
}

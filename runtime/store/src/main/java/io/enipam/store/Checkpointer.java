package io.enipam.store;

import com.google.common.util.concurrent.Uninterruptibles;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.store.StoreDirectory.JournalFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes checkpoints on a thread of its own and removes the files that recovery needs no more: it keeps the last two
 * checkpoints that can be read and every journal file with a commit after the older one. One that is damaged counts for
 * nothing: the newest is written anew, another is put aside.
 *
 * <p>A checkpoint that fails costs disk space and start-up time, never data: the journal stays, and the next one tries
 * again.
 */
final class Checkpointer {
    private static final Logger LOG = LoggerFactory.getLogger(Checkpointer.class);

    private final Disk disk;
    private final StoreDirectory directory;
    private final AtomicBoolean waiting = new AtomicBoolean();
    /** What the last checkpoint says of the journal; used by the keeper's thread. */
    private Optional<String> lastJournal;

    private final ExecutorService thread;

    private final LeaseEnds ends;

    Checkpointer(Disk disk, StoreDirectory directory, Optional<String> lastJournal, LeaseEnds ends) {
        this.ends = ends;
        this.lastJournal = lastJournal;
        this.disk = disk;
        this.directory = directory;
        this.thread = Executors.newSingleThreadExecutor(DaemonThreads.named("store-checkpoint"));
    }

    /** Asks for a checkpoint of the view, soon. One that waits already is enough. Returns at once. */
    void begin(LiveView view) {
        if (waiting.compareAndSet(false, true)) {
            thread.execute(() -> {
                waiting.set(false);
                write(view.snapshot());
            });
        }
    }

    /** Waits for checkpoints that were asked for, and, if this is the last, for one more of the view as it is. */
    void close(LiveView view, boolean last) {
        // On the keeper's thread: a thread that is interrupted, as a caller of close() may be, would close the
        // channels.
        CompletableFuture<Void> done =
                CompletableFuture.runAsync(last ? () -> write(view.snapshot()) : () -> {}, thread);
        done.join();
        thread.shutdown();
        if (!Uninterruptibles.awaitTerminationUninterruptibly(thread, 1, TimeUnit.MINUTES)) {
            LOG.warn("work on the files in {} has not ended after a minute; closing without it", directory.path());
        }
    }

    /**
     * Does something while no checkpoint is written and no file removed; waits for both, and for it.
     *
     * @throws StoreException if the disk does not let it, or the database is closed
     */
    <T> T alone(DiskWork<T> work) {
        try {
            return CompletableFuture.supplyAsync(() -> done(work), thread).join();
        } catch (RejectedExecutionException e) {
            throw new StoreException("the database is closed", "try again when enipamd is up", e);
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private <T> T done(DiskWork<T> work) {
        try {
            return work.done();
        } catch (IOException e) {
            throw new StoreException(
                    "the files in " + directory.path() + " cannot be used: " + e.getMessage(), "check the disk", e);
        }
    }

    /** What reads or writes the files of the database. */
    @FunctionalInterface
    interface DiskWork<T> {
        T done() throws IOException;
    }

    /** Writes a checkpoint, puts damaged ones aside, removes what is unnecessary; on the keeper's thread. */
    void compact(StoreSnapshot snapshot) throws IOException {
        checkpoint(snapshot, true);
    }

    /** Writes a checkpoint that begins the database anew; on the keeper's own thread: see {@link #alone}. */
    void begin(StoreSnapshot snapshot) throws IOException {
        ends.reached(snapshot.generation());
        CheckpointFile.write(disk, directory, snapshot);
        lastJournal = snapshot.journal();
    }

    /** @param look whether to read also those that nothing is removed for */
    private void checkpoint(StoreSnapshot snapshot, boolean look) throws IOException {
        List<Long> before = directory.list(disk).checkpoints();
        // written anew if the journal goes on in another file since: the checkpoint shows if that file is missing
        if (!before.contains(snapshot.generation())
                || !snapshot.journal().equals(lastJournal)
                || look && !isReadable(snapshot.generation())) {
            ends.reached(snapshot.generation()); // no start reads the commits before a checkpoint again
            CheckpointFile.write(disk, directory, snapshot);
            lastJournal = snapshot.journal();
        }
        prune(look);
    }

    private void write(StoreSnapshot snapshot) {
        try {
            checkpoint(snapshot, false);
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "cannot write a checkpoint of commit {} in {}: {}; nothing is lost, the journal grows until it works",
                    snapshot.generation(),
                    directory.path(),
                    e.toString());
        }
    }

    /** The newest readable checkpoint but the last, which recovery falls back to; 0 for none. */
    private long fallback(List<Long> checkpoints) throws IOException {
        for (int i = checkpoints.size() - 2; i >= 0; i--) {
            long generation = checkpoints.get(i);
            if (isReadable(generation)) {
                return generation;
            }
            Path damaged = directory.checkpoint(generation);
            disk.rename(damaged, StoreDirectory.damaged(damaged));
        }
        return 0;
    }

    private boolean isReadable(long generation) {
        Path file = directory.checkpoint(generation);
        try {
            CheckpointFile.read(disk, file, generation);
            return true;
        } catch (IOException | StoreException e) {
            LOG.warn("checkpoint {} is damaged ({}); it is no longer relied on", file, e.getMessage());
            return false;
        }
    }

    private void prune(boolean look) throws IOException {
        StoreDirectory.Listing files = directory.list(disk);
        if (!look && !files.hasMoreThanNeeded()) {
            return;
        }
        long fallback = fallback(files.checkpoints());
        for (long generation : files.checkpoints()) {
            if (generation < fallback) {
                disk.delete(directory.checkpoint(generation));
            }
        }
        List<JournalFile> journal = files.journal();
        for (int i = 0; i + 1 < journal.size(); i++) {
            if (journal.get(i + 1).base() <= fallback) { // also of a higher epoch: what this one has above that is void
                disk.delete(journal.get(i).path());
                if (journal.get(i).epoch() < journal.get(i + 1).epoch()) {
                    // its void frames must not be there when the file that makes them void is gone
                    disk.forceDirectory(directory.path());
                }
            }
        }
    }
}

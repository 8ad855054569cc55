package io.enipam.store;

import io.enipam.store.journal.Disk;
import io.enipam.store.journal.Journal;
import io.enipam.store.record.Edit;
import io.enipam.store.record.GroupCodec;
import io.enipam.store.view.Checkpoint;
import io.enipam.store.view.LiveView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The database's threads: one that writes, one that tells callers, one that writes checkpoints.
 *
 * <p>The writing thread alone touches the journal and changes the live view. Commits are told of in the order in which they
 * were made durable, since one thread tells them.
 */
final class Writer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Writer.class);
    private static final int MOST_IN_A_GROUP = 1_000;
    private static final int MOST_WAITING = 100_000;
    private static final Commit STOP = new Commit(List.of(), new java.util.concurrent.CompletableFuture<>());

    private final Disk disk;
    private final Path directory;
    private final Journal journal;
    private final LiveView live;
    private final LinkedBlockingQueue<Commit> queue = new LinkedBlockingQueue<>(MOST_WAITING);
    private final ExecutorService teller = Executors.newSingleThreadExecutor(task -> daemon(task, "store-teller"));
    private final ExecutorService checkpoints =
            Executors.newSingleThreadExecutor(task -> daemon(task, "store-checkpoint"));
    private final Thread thread;
    private volatile boolean closed;

    Writer(Disk disk, Path directory, Journal journal, LiveView live) {
        this.disk = disk;
        this.directory = directory;
        this.journal = journal;
        this.live = live;
        this.thread = daemon(this::run, "store-writer");
        thread.start();
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    void submit(Commit commit) {
        if (closed) {
            commit.done().completeExceptionally(new IOException("the database is closed"));
        } else if (!queue.offer(commit)) {
            commit.done()
                    .completeExceptionally(
                            new IOException("the disk does not keep up: " + MOST_WAITING + " commits are waiting"));
        }
    }

    private void run() {
        List<Commit> group = new ArrayList<>();
        boolean stop = false;
        while (!stop) {
            group.clear();
            try {
                group.add(queue.take());
            } catch (InterruptedException e) {
                LOG.warn("the writer was interrupted; it goes on until the database is closed");
                continue;
            }
            queue.drainTo(group, MOST_IN_A_GROUP - 1);
            stop = group.remove(STOP);
            if (!group.isEmpty()) {
                write(List.copyOf(group));
            }
        }
    }

    private void write(List<Commit> group) {
        List<Edit> edits =
                group.stream().flatMap(commit -> commit.edits().stream()).toList();
        try {
            boolean newFile = journal.append(GroupCodec.encode(edits));
            live.apply(edits);
            tell(() -> group.forEach(commit -> commit.done().complete(null)));
            if (newFile && journal.generation() > 1) {
                checkpoint();
            }
        } catch (IOException | RuntimeException e) {
            IOException failure = e instanceof IOException io ? io : new IOException(e);
            tell(() -> group.forEach(commit -> commit.done().completeExceptionally(failure)));
        }
    }

    private void tell(Runnable news) {
        try {
            teller.execute(news);
        } catch (RejectedExecutionException e) {
            news.run();
        }
    }

    private void checkpoint() {
        Checkpoint checkpoint = new Checkpoint(journal.generation(), live.copy());
        checkpoints.execute(() -> {
            try {
                checkpoint.write(disk, directory);
                Journal.deleteUpTo(disk, directory, Checkpoint.prune(disk, directory));
            } catch (IOException | RuntimeException e) {
                // nothing is lost: the journal has it all, and the next file brings the next try
                LOG.warn("no checkpoint was written, the journal grows meanwhile: {}", e.toString());
            }
        });
    }

    /** Writes what was accepted, then stops. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            queue.put(STOP);
            thread.join(TimeUnit.SECONDS.toMillis(30));
            teller.shutdown();
            checkpoints.shutdown();
            if (!teller.awaitTermination(5, TimeUnit.SECONDS) || !checkpoints.awaitTermination(30, TimeUnit.SECONDS)) {
                LOG.warn("the database's threads are still busy; leaving them");
            }
            journal.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            LOG.warn("closing the journal: {}", e.toString());
        }
        // a commit that came between the last look at the queue and its end
        for (Commit late = queue.poll(); late != null; late = queue.poll()) {
            late.done().completeExceptionally(new IOException("the database is closed"));
        }
    }
}

package io.enipam.store;

import io.enipam.engine.model.TableRow;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.DbBusyException;
import io.enipam.engine.port.ResourceDb.DbTrouble;
import io.enipam.engine.port.Span;
import io.enipam.store.CommitQueue.PendingCommit;
import io.enipam.store.CommitWriter.StoreHealth;
import io.enipam.store.RecordJson.DatabaseJson;
import io.enipam.store.Recovery.StoreIncarnation;
import io.enipam.store.StoreDirectory.DirectoryLock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The resource database of one directory, for one process at a time. Thread-safe.
 *
 * <p>The journal is the truth. A commit becomes one frame; a writer thread puts the frames of all waiting commits on the
 * disk with one force, applies them to the live view, and has them acknowledged, in that order. Full journal files give
 * way to checkpoints, which are MapDB files. MapDB is never trusted with durability: its write-ahead log is not read on
 * open.
 *
 * <p>When the disk does not take a commit, it fails, {@link #trouble} says why, and a later one goes through by itself as soon
 * as the disk works again. A commit that failed may be found after a crash, until a later one was acknowledged; then never.
 *
 * <p>{@link #contents} and {@link #records} read memory alone, also after {@link #close}. {@link #commit} never
 * waits: with the queue full, it fails. Stages complete on a thread of the database's that does nothing else, in the order of the
 * commits: a slow continuation delays other acknowledgements, never the disk.
 */
public final class JournaledResourceDb implements ResourceDb {
    private static final Logger LOG = LoggerFactory.getLogger(JournaledResourceDb.class);
    private static final int CHANGE_BYTES = 256 << 10;

    private final RecordCodec codec = new RecordCodec();
    private final DirectoryLock lock;
    private final LiveView view;
    private final Journal journal;
    private final CommitQueue queue;
    private final StoreHealth health;
    private final Checkpointer checkpoints;
    private final CommitWriter writer;
    private final DatabaseTools tools;
    private final AtomicBoolean closed = new AtomicBoolean();

    private JournaledResourceDb(
            Disk disk,
            StoreDirectory directory,
            StoreOptions options,
            DirectoryLock lock,
            Recovery.Recovered recovered,
            LeaseEnds ends) {
        this.lock = lock;
        this.view = recovered.view();
        ends.begin(new LeaseEnds.Opened(
                recovered.made(),
                recovered.replayed().from(),
                recovered.replayed().ended(),
                () -> contents().leases(),
                () -> Recovery.beforeRestore(disk, directory, options)));
        view.follow(ends::ended);
        this.checkpoints =
                new Checkpointer(disk, directory, view.snapshot(Bucket.META).journal(), ends);
        this.journal = new Journal(
                new FileRecreation(disk, directory, lock, view, checkpoints, options.clock()),
                options.journalBytes(),
                recovered.made(),
                recovered.segment(),
                recovered.epoch(),
                recovered.generation());
        this.queue = new CommitQueue(options.queuedCommits(), options.queuedBytes());
        view.continuesIn(recovered.segment().path());
        this.health = new StoreHealth(options.clock());
        this.writer = new CommitWriter(queue, journal, view, checkpoints, health, options.journalBytes());
        this.tools = new DatabaseTools(disk, directory, options, view, checkpoints);
    }

    /**
     * Opens or creates the database.
     *
     * @throws StoreException if the directory cannot be used, is locked by another process, or is damaged; the message
     *     says what and where, the hint what to do
     */
    public static ResourceDb open(Path directory) {
        return open(directory, StoreOptions.defaults());
    }

    public static ResourceDb open(Path directory, StoreOptions options) {
        return open(directory, options, new LocalDisk());
    }

    /** The same on another disk. The lock is on the real one, in a directory of the same name. */
    public static JournaledResourceDb open(Path path, StoreOptions options, Disk disk) {
        return open(path, options, disk, () -> LeaseEnds.NONE);
    }

    /**
     * The same, with a follower of the leases that end.
     *
     * @param ends asked once, when the files have been read: the follower may open beside that
     */
    public static JournaledResourceDb open(Path path, StoreOptions options, Disk disk, Supplier<LeaseEnds> ends) {
        StoreDirectory directory = new StoreDirectory(path);
        try {
            DamagedStore.refuseHalfWay(directory);
            StagedRestore.PreRestoreDirectories.refuseToBeginBeside(path);
            directory.create(disk);
            DirectoryLock lock = DirectoryLock.take(directory, true);
            try {
                Recovery.Recovered recovered = new Recovery(disk, directory).recover(options);
                JournaledResourceDb db = new JournaledResourceDb(disk, directory, options, lock, recovered, ends.get());
                db.introduce(StoreIncarnation.instant(recovered.made()));
                return db;
            } catch (IOException | RuntimeException e) {
                lock.close();
                throw e;
            }
        } catch (IOException e) {
            throw new StoreException(
                    "cannot use the database directory " + path + ": " + e,
                    "make it readable and writable for this process, with room for " + (options.journalBytes() >> 10)
                            + " KiB, or use another directory",
                    e);
        }
    }

    /** Writes what a new database says of itself, or one that an older program made: that one shall not open it again. */
    private void introduce(Instant made) throws IOException {
        Optional<byte[]> known = view.snapshot(Bucket.META).find(Bucket.META, DatabaseJson.KEY);
        Optional<Mutation> entry =
                known.isPresent() ? codec.upgrade(known.get()) : Optional.of(codec.newDatabase(made));
        if (entry.isPresent()) {
            try {
                submit(List.of(entry.get())).join();
            } catch (CompletionException e) {
                close();
                throw new IOException(e.getCause().getMessage(), e);
            }
        }
    }

    @Override
    public CompletionStage<Void> commit(List<Change> changes, Span span) {
        if (changes.isEmpty()) {
            throw new IllegalArgumentException("a commit needs at least one change");
        }
        return submit(
                        changes.stream()
                                .flatMap(change -> codec.encode(change).stream())
                                .toList(),
                        span)
                .minimalCompletionStage();
    }

    /** Opens a database, changes it in commits of a bounded size, and closes it; throws StoreException if that fails. */
    static void change(Path path, StoreOptions options, Disk disk, List<Mutation> mutations) {
        try (JournaledResourceDb db = open(path, options, disk)) {
            List<Mutation> part = new ArrayList<>();
            int bytes = 0;
            for (Mutation mutation : mutations) {
                part.add(mutation);
                bytes += mutation.record().map(record -> record.length).orElse(0)
                        + mutation.key().length();
                if (bytes > CHANGE_BYTES) {
                    db.submit(List.copyOf(part)).join();
                    part.clear();
                    bytes = 0;
                }
            }
            if (!part.isEmpty()) {
                db.submit(part).join();
            }
        } catch (CompletionException e) {
            throw new StoreException(
                    "cannot write " + path + ": " + String.valueOf(e.getCause().getMessage()), "check the disk", e);
        }
    }

    CompletableFuture<Void> submit(List<Mutation> mutations) {
        return submit(mutations, Span.NONE);
    }

    private CompletableFuture<Void> submit(List<Mutation> mutations, Span span) {
        PendingCommit commit = PendingCommit.of(mutations, span);
        return switch (queue.offer(commit)) {
            case TAKEN -> commit.done();
            case FULL ->
                CompletableFuture.failedFuture(
                        new DbBusyException(
                                "too many commits wait for the disk; nothing was written of this one, try it again in a moment"));
            case CLOSED -> CompletableFuture.failedFuture(new IOException("the database is closed"));
        };
    }

    @Override
    public Optional<DbTrouble> trouble() {
        return health.trouble();
    }

    @Override
    public void watch(Consumer<Optional<DbTrouble>> watcher) {
        health.watch(watcher);
    }

    @Override
    public Contents contents() {
        return view.contents(codec);
    }

    @Override
    public List<CloudJournal.Entry> operations() {
        return view.snapshot(Bucket.OPERATIONS).decode(Bucket.OPERATIONS, codec::operation);
    }

    @Override
    public List<TableRow> rows() {
        return view.snapshot(Bucket.TABLES).decode(Bucket.TABLES, codec::row);
    }

    @Override
    public List<RawRecord> records() {
        return tools.records().stream()
                .filter(record -> !record.bucket().equals(Bucket.META.text()))
                .toList();
    }

    StoreSnapshot snapshot() {
        return view.snapshot();
    }

    public DatabaseTools tools() {
        return tools;
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            queue.close();
            writer.close();
            checkpoints.close(view, journal.sound());
        } finally {
            closeFiles();
        }
    }

    private void closeFiles() {
        try (lock) {
            journal.close();
        } catch (IOException e) {
            LOG.warn("cannot close the journal: {}; all acknowledged commits are on disk", e.toString());
        }
    }
}

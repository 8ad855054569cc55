package io.enipam.store;

import io.enipam.engine.port.Change;
import io.enipam.store.StoreDirectory.DirectoryLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A database that may be damaged, held by one process that looks at it and may put a rebuilt one in its place. Used by
 * one thread.
 *
 * <p>The replacement, in steps of which each is durable before the next one begins; D is the database's directory:
 *
 * <ol>
 *   <li>a new database is written as {@code D.rebuilding}, by the same code that writes every other one, and closed;
 *   <li>it is renamed to {@code D.rebuilt}: from here on it is known to be complete;
 *   <li>D is renamed to {@code D.damaged-TIME}, with all its files, of which none was touched;
 *   <li>{@code D.rebuilt} is renamed to D.
 * </ol>
 *
 * <p>A crash leaves D as it was, or no D and a complete {@code D.rebuilt}. In the first case everything starts again:
 * what was rebuilt is worth nothing any more, as D may have been put right since. In the second case {@link #finish}
 * does the last step, and a database does not open before that.
 */
public final class DamagedStore implements AutoCloseable {
    private final Disk disk;
    private final StoreDirectory directory;
    private final StoreOptions options;
    private final Optional<DirectoryLock> lock;

    private DamagedStore(Disk disk, StoreDirectory directory, StoreOptions options, Optional<DirectoryLock> lock) {
        this.disk = disk;
        this.options = options;
        this.directory = directory;
        this.lock = lock;
    }

    /** Takes hold of a directory, which need not exist; throws StoreException if another process uses it. */
    public static DamagedStore open(Path directory) {
        return open(directory, StoreOptions.defaults(), new LocalDisk());
    }

    static DamagedStore open(Path path, StoreOptions options, Disk disk) {
        StoreDirectory directory = new StoreDirectory(path);
        try {
            Optional<DirectoryLock> lock = Files.isWritable(directory.lock())
                    ? Optional.of(DirectoryLock.take(directory, false))
                    : Optional.empty(); // what is not there cannot be locked
            return new DamagedStore(disk, directory, options, lock);
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    /** Reads what is left; throws StoreException if a newer program wrote it, or the files cannot be read at all. */
    public SalvageResult read() {
        try {
            return new SalvageReader(disk, directory).read();
        } catch (IOException e) {
            throw unreadable(directory.path(), e);
        }
    }

    /** Whether an earlier replacement has only its last step to go. */
    public boolean halfWay() {
        return halfWay(directory);
    }

    public void finish() throws IOException {
        disk.renameDurably(directory.rebuilt(), directory.path());
    }

    /**
     * Puts a new database in the place of this one.
     *
     * @param changes all that the new one holds, in order
     * @param now names the directory that is kept
     * @return where the old files are kept; empty if there were none
     * @throws IOException if it cannot be done; then the old one is where it was, or {@link #halfWay()} says where
     */
    public Optional<Path> replace(List<Change> changes, Instant now) throws IOException {
        disk.deleteDirectory(directory.rebuilding());
        disk.deleteDirectory(directory.rebuilt());
        write(changes);
        disk.renameDurably(directory.rebuilding(), directory.rebuilt());
        Optional<Path> kept = keepAside(now);
        finish();
        return kept;
    }

    private void write(List<Change> changes) throws IOException {
        RecordCodec codec = new RecordCodec();
        List<Mutation> mutations = changes.stream()
                .flatMap(change -> codec.encode(change).stream())
                .toList();
        try {
            JournaledResourceDb.change(directory.rebuilding(), options, disk, mutations);
        } catch (StoreException e) {
            throw new IOException(e.getMessage(), e);
        }
        disk.forceDirectory(directory.rebuilding());
    }

    private Optional<Path> keepAside(Instant now) throws IOException {
        if (!Files.exists(directory.path())) {
            return Optional.empty();
        }
        Path aside = directory.freeBeside(".damaged-", now);
        disk.renameDurably(directory.path(), aside);
        return Optional.of(aside);
    }

    @Override
    public void close() {
        lock.ifPresent(held -> {
            try {
                held.close();
            } catch (IOException e) {
                throw new IllegalStateException("cannot release " + directory.lock(), e);
            }
        });
    }

    private static boolean halfWay(StoreDirectory directory) {
        return !Files.exists(directory.path()) && Files.exists(directory.rebuilt());
    }

    /** Throws if a replacement has only its last step to go: an empty database must not come before that. */
    static void refuseHalfWay(StoreDirectory directory) {
        if (halfWay(directory)) {
            throw StoreException.damaged(directory.path() + " is missing, and " + directory.rebuilt()
                    + " waits to take its place: a recovery was interrupted before its last step");
        }
    }

    private static StoreException unreadable(Path directory, IOException cause) {
        return new StoreException(
                "cannot read the database directory " + directory + ": " + cause,
                "make it readable for this process",
                cause);
    }
}

package io.enipam.store;

import io.enipam.store.Segment.SegmentHeader;
import io.enipam.store.StoreDirectory.DirectoryLock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins the files of an open database anew when they were removed, or their directory was removed, renamed, replaced by a copy or
 * mounted over. Commits on files that have no name any more survive no restart, and without the file of the lock another process
 * can open the same database.
 *
 * <p>The directory is made if it is not there, its lock is taken, and all records go from memory into a checkpoint. The checkpoint
 * names a journal file that is complete by then and has its name last: a crash before the checkpoint has its name leaves what was
 * there, and after one behind it the next start gives the journal file its name. Where the lock has to be taken anew, files of a
 * database that are in the directory are of unknown origin. They are kept under names that no start reads.
 */
record FileRecreation(
        Disk disk, StoreDirectory directory, DirectoryLock lock, LiveView view, Checkpointer keeper, Clock clock) {
    private static final Logger LOG = LoggerFactory.getLogger(FileRecreation.class);

    /** Whether the next process to open the database would not find a file, or could open it now. */
    boolean isNeeded(Segment segment) throws IOException {
        return !segment.isLinked() || !isLocked();
    }

    /** Whether no other process can open the database: the file of the lock has its name. */
    boolean isLocked() throws IOException {
        return lock.isLinked();
    }

    /**
     * Writes checkpoint and journal file.
     *
     * @param header of the journal file, which follows on the last commit of the view
     * @throws IOException if the directory cannot be made or written, or another process has locked it
     */
    Segment begin(SegmentHeader header) throws IOException {
        try {
            return keeper.alone(() -> write(header));
        } catch (StoreException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private Segment write(SegmentHeader header) throws IOException {
        directory.create(disk);
        List<Path> others = lock.renew() ? List.of() : files();
        String when = StoreDirectory.WHEN.format(clock.instant());
        Path checkpoint = directory.checkpoint(header.base());
        if (others.contains(checkpoint)) {
            disk.rename(checkpoint, StoreDirectory.replaced(checkpoint, when));
        }
        Segment.prepare(disk, directory, header);
        disk.forceDirectory(directory.path()); // the file must be there when the checkpoint that names it is
        StoreSnapshot now = view.snapshot();
        String journal =
                directory.segment(header.base(), header.epoch()).getFileName().toString();
        keeper.begin(new StoreSnapshot(now.generation(), Optional.of(journal), now.buckets()));
        for (Path other : others) {
            if (!other.equals(checkpoint)) {
                disk.rename(other, StoreDirectory.replaced(other, when));
            }
        }
        lock.settled();
        Segment begun = Segment.finish(disk, directory, header);
        LOG.warn(
                "the files of the database in {} were removed or replaced while it was in use; all records up to commit {} are"
                        + " written anew{}",
                directory.path(),
                header.base(),
                others.isEmpty() ? "" : ", the files found there are kept as *.replaced-" + when);
        return begun;
    }

    private List<Path> files() throws IOException {
        StoreDirectory.Listing listing = directory.list(disk);
        List<Path> files = new ArrayList<>();
        listing.journal().forEach(file -> files.add(file.path()));
        listing.checkpoints().forEach(generation -> files.add(directory.checkpoint(generation)));
        if (disk.list(directory.path())
                .contains(directory.highMark().getFileName().toString())) {
            files.add(directory.highMark());
        }
        return files;
    }
}

package io.enipam.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.store.DatabaseFileReader.DatabaseFile;
import io.enipam.store.DatabaseTools.FinishedRestore;
import io.enipam.store.Disk.DiskFile;
import io.enipam.store.StoreException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A database that waits beside the present one to take its place when it is opened the next time, so that an engine
 * never sees its records change under it. A crash at any step leaves either the one or the other whole:
 *
 * <ol>
 *   <li>{@code db.staged.tmp} is filled, and renamed to {@code db.staged} when all of it is durable. Until then nothing
 *       has happened, and what a crash left is removed.
 *   <li>At the next start the present database is opened as ever, and what happened since goes into {@code db.staged}:
 *       see {@link RestoreMerge}. A crash here has it done once more.
 *   <li>{@code db} is renamed to {@code db.before-restore-TIMESTAMP}, then {@code db.staged} to {@code db}. After a
 *       crash between the two there is no {@code db}, and the second rename follows; or the first one is undone, if
 *       what was staged turns out not to be sound.
 * </ol>
 *
 * <p>One that is staged in the place of another moves that one to {@code db.staged.discarded} before it is deleted.
 *
 * <p>Not the file's, but the node's, are the operations that are pending in the cloud (one of an earlier day, done once
 * more, would take away what was made since) and what was seen of the pods lately. The restored database counts as
 * unsettled: the start-up makes leases of what the kernel and the API server know before it hands anything out.
 */
final class StagedRestore {
    private static final Logger LOG = LoggerFactory.getLogger(StagedRestore.class);
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final int COMMIT_BYTES = 256 << 10;

    private final Disk disk;
    private final Path directory;
    private final StoreOptions options;

    StagedRestore(Disk disk, Path directory, StoreOptions options) {
        this.disk = disk;
        this.directory = directory.toAbsolutePath();
        this.options = options;
    }

    Path staged() {
        return sibling(".staged");
    }

    private Path unfinished() {
        return sibling(".staged.tmp");
    }

    /** One that is given up, until it is deleted. */
    private Path discarded() {
        return sibling(".staged.discarded");
    }

    private Path sibling(String suffix) {
        return directory.resolveSibling(directory.getFileName() + suffix);
    }

    private Path parent() {
        return Optional.ofNullable(directory.getParent()).orElseThrow();
    }

    /** Makes the database that is to take the place of the present one. One that was staged before is given up. */
    void stage(DatabaseFile file, StoreSnapshot present, RestoreManifest note) throws IOException {
        deleteTree(unfinished());
        try {
            fill(file, present);
            note.write(disk, unfinished());
        } catch (IOException | RuntimeException e) {
            deleteAfter(e);
            throw e;
        }
        if (Files.isDirectory(staged())) {
            // a crash while it is deleted must not leave a part of it under the name that a start takes
            deleteTree(discarded());
            disk.rename(staged(), discarded());
            disk.forceDirectory(parent());
        }
        disk.rename(unfinished(), staged());
        disk.forceDirectory(parent());
        try {
            deleteTree(discarded());
        } catch (IOException e) {
            LOG.warn("cannot delete {}; the next start tries again: {}", discarded(), e.getMessage());
        }
    }

    private void fill(DatabaseFile file, StoreSnapshot present) {
        change(unfinished(), merge().ofFile(file, present));
    }

    private RestoreMerge merge() {
        return new RestoreMerge(options.clock().instant());
    }

    /**
     * Puts what was staged in the place of the database, if something was. To be called before the database is opened,
     * by the one process that may open it.
     *
     * @return what was done; empty if nothing was staged
     * @throws StoreException if the present database cannot be opened, what was staged cannot be read, or a recovery is
     *     half done: then what was staged waits on
     */
    Optional<FinishedRestore> finish() {
        DamagedStore.refuseHalfWay(new StoreDirectory(directory));
        try {
            deleteTree(unfinished());
            deleteTree(discarded());
            return Files.isDirectory(staged()) ? Optional.of(take()) : Optional.empty();
        } catch (IOException e) {
            throw new StoreException(
                    "cannot put " + staged() + " in the place of " + directory + ": " + e.getMessage(),
                    "check the disk and start again; or, to go on without the restore, move " + staged() + " away",
                    e);
        }
    }

    private FinishedRestore take() throws IOException {
        RestoreManifest note;
        StoreSnapshot coming;
        try {
            note = RestoreManifest.read(disk, staged());
            if (new StoreDirectory(staged()).list(disk).empty()) {
                throw StoreException.damaged("it has a note and no files");
            }
            coming = read(staged());
        } catch (StoreException e) {
            if (e.reason() == Reason.UNUSABLE) {
                throw e;
            }
            return refused(e);
        }
        Optional<Path> kept = Optional.empty();
        if (Files.isDirectory(directory)) {
            present(note).ifPresent(present -> change(staged(), merge().sinceStaged(note, present, coming)));
            Path aside =
                    new PreRestoreDirectories(directory).next(options.clock().instant());
            disk.rename(directory, aside);
            disk.forceDirectory(parent());
            kept = Optional.of(aside);
        }
        disk.rename(staged(), directory);
        disk.forceDirectory(parent());
        String told = "the database was restored from " + note.file()
                + kept.map(aside -> "; the one before is kept in " + aside).orElse("");
        LOG.warn("{}", told);
        return new FinishedRestore(true, told, kept);
    }

    /** Goes on with the database before: if it has been put aside already, it comes back first. */
    private FinishedRestore refused(StoreException why) throws IOException {
        if (!Files.isDirectory(directory)) {
            Path before = new PreRestoreDirectories(directory)
                    .newest()
                    .orElseThrow(() -> StoreException.damaged(
                            directory + " is missing, and " + staged() + " is not sound: " + why.getMessage(), why));
            disk.rename(before, directory);
            disk.forceDirectory(parent());
        }
        Path aside =
                free(sibling(".staged-not-taken-" + STAMP.format(options.clock().instant())));
        disk.rename(staged(), aside);
        disk.forceDirectory(parent());
        String told = "the restored database is not sound and was not taken: " + why.getMessage()
                + "; the one before is in use, the other is kept in " + aside;
        LOG.error("{}", told);
        return new FinishedRestore(false, told, Optional.empty());
    }

    private Optional<StoreSnapshot> present(RestoreManifest note) {
        try {
            return Optional.of(read(directory));
        } catch (StoreException e) {
            if (note.unread() && e.reason() == Reason.DAMAGED) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Opens a database as a start does, so that what a crash left is settled, and reads it. */
    private StoreSnapshot read(Path path) {
        try (JournaledResourceDb db = JournaledResourceDb.open(path, options, disk)) {
            return db.snapshot();
        }
    }

    private void change(Path path, List<Mutation> mutations) {
        try (JournaledResourceDb db = JournaledResourceDb.open(path, options, disk)) {
            List<Mutation> part = new ArrayList<>();
            int bytes = 0;
            for (Mutation mutation : mutations) {
                part.add(mutation);
                bytes += mutation.json().map(String::length).orElse(0)
                        + mutation.key().length();
                if (bytes > COMMIT_BYTES) {
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

    private static Path free(Path wanted) {
        Path path = wanted;
        for (int n = 2; Files.exists(path); n++) {
            path = wanted.resolveSibling(wanted.getFileName() + "-" + n);
        }
        return path;
    }

    private void deleteAfter(Exception cause) {
        try {
            deleteTree(unfinished());
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    /** Deletes a directory of files. */
    private void deleteTree(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            for (String name : disk.list(path)) {
                disk.delete(path.resolve(name));
            }
            disk.delete(path);
        }
    }

    /**
     * What was agreed when a restore was staged, version 1: in a file of the staged directory, where it stays and
     * records where the database came from.
     *
     * @param file what was restored
     * @param staged ISO 8601 instant
     * @param givenUp owners whose leases may be lost
     * @param inForce owners that had a lease at that moment
     * @param unread whether the database before could not be read, and that was agreed to
     */
    record RestoreManifest(
            int v, String file, String staged, List<String> givenUp, List<String> inForce, boolean unread) {
        static final int VERSION = 1;

        private static final String NAME = "restored.json";
        private static final JsonMapper JSON = RecordJson.mapper();

        void write(Disk disk, Path directory) throws IOException {
            Path path = directory.resolve(NAME);
            try (DiskFile out = disk.create(path)) {
                out.write(ByteBuffer.wrap((JSON.writeValueAsString(this) + "\n").getBytes(StandardCharsets.UTF_8)), 0);
                out.force();
            }
            disk.forceDirectory(directory);
        }

        /**
         * @throws StoreException if it is missing, or not what was written
         * @throws IOException if it cannot be read now: which says nothing of what was staged
         */
        static RestoreManifest read(Disk disk, Path directory) throws IOException {
            Path path = directory.resolve(NAME);
            try {
                RestoreManifest note = JSON.readValue(disk.read(path), RestoreManifest.class);
                if (note.v() > VERSION) {
                    throw StoreException.newer("a newer enipamd staged it");
                }
                return note;
            } catch (NoSuchFileException e) {
                throw StoreException.damaged(path + " is missing", e);
            } catch (JsonProcessingException e) {
                throw StoreException.damaged(path + " is not readable: " + e.getOriginalMessage(), e);
            }
        }
    }
}

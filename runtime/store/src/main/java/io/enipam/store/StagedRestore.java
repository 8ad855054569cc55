package io.enipam.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.store.DatabaseTools.FinishedRestore;
import io.enipam.store.Disk.DiskFile;
import io.enipam.store.StoreException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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

    private final Disk disk;
    private final StoreDirectory database;
    private final Path directory;
    private final StoreOptions options;
    private final Path staged;
    private final Path unfinished;
    /** One that is given up, until it is deleted. */
    private final Path discarded;

    StagedRestore(Disk disk, Path directory, StoreOptions options) {
        this.disk = disk;
        this.directory = directory.toAbsolutePath();
        this.database = new StoreDirectory(this.directory);
        this.options = options;
        this.staged = database.beside(".staged");
        this.unfinished = database.beside(".staged.tmp");
        this.discarded = database.beside(".staged.discarded");
    }

    /** Makes the database that is to take the place of the present one. One that was staged before is given up. */
    void stage(StoreSnapshot file, StoreSnapshot present, RestoreManifest note) throws IOException {
        disk.deleteDirectory(unfinished);
        try {
            JournaledResourceDb.change(unfinished, options, disk, merge().ofFile(file, present));
            note.write(disk, unfinished);
        } catch (IOException | RuntimeException e) {
            deleteAfter(e);
            throw e;
        }
        if (Files.isDirectory(staged)) {
            // a crash while it is deleted must not leave a part of it under the name that a start takes
            disk.deleteDirectory(discarded);
            disk.renameDurably(staged, discarded);
        }
        disk.renameDurably(unfinished, staged);
        try {
            disk.deleteDirectory(discarded);
        } catch (IOException e) {
            LOG.warn("cannot delete {}; the next start tries again: {}", discarded, e.getMessage());
        }
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
        DamagedStore.refuseHalfWay(database);
        try {
            disk.deleteDirectory(unfinished);
            disk.deleteDirectory(discarded);
            return Files.isDirectory(staged) ? Optional.of(take()) : Optional.empty();
        } catch (IOException e) {
            throw new StoreException(
                    "cannot put " + staged + " in the place of " + directory + ": " + e.getMessage(),
                    "check the disk and start again; or, to go on without the restore, move " + staged + " away",
                    e);
        }
    }

    private FinishedRestore take() throws IOException {
        RestoreManifest note;
        StoreSnapshot coming;
        try {
            note = RestoreManifest.read(disk, staged);
            if (new StoreDirectory(staged).list(disk).empty()) {
                throw StoreException.damaged("it has a note and no files");
            }
            coming = read(staged);
        } catch (StoreException e) {
            if (e.reason() == Reason.UNUSABLE) {
                throw e;
            }
            return refused(e);
        }
        Optional<Path> kept = Optional.empty();
        if (Files.isDirectory(directory)) {
            present(note)
                    .ifPresent(present -> JournaledResourceDb.change(
                            staged, options, disk, merge().sinceStaged(note, present, coming)));
            Path aside =
                    new PreRestoreDirectories(directory).next(options.clock().instant());
            disk.renameDurably(directory, aside);
            kept = Optional.of(aside);
        }
        disk.renameDurably(staged, directory);
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
                            directory + " is missing, and " + staged + " is not sound: " + why.getMessage(), why));
            disk.renameDurably(before, directory);
        }
        Path aside = database.freeBeside(".staged-not-taken-", options.clock().instant());
        disk.renameDurably(staged, aside);
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

    private void deleteAfter(Exception cause) {
        try {
            disk.deleteDirectory(unfinished);
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    /**
     * What was agreed when a restore was staged, version 1: in a file of the staged directory, where it stays and
     * records where the database came from.
     *
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

    /**
     * The databases that restores have put aside, beside the one in use: {@code D.before-restore-TIMESTAMP}, and {@code -2} and
     * so on behind it. Their names are in the order in which they were put aside, even if the clock went back meanwhile.
     */
    static final class PreRestoreDirectories {
        private final Path directory;
        private final Pattern names;

        PreRestoreDirectories(Path directory) {
            this.directory = directory.toAbsolutePath();
            this.names = Pattern.compile(
                    Pattern.quote(directory.getFileName() + ".before-restore-") + "(\\d{8}T\\d{6}Z)(?:-(\\d{1,9}))?");
        }

        private record Kept(Path path, String stamp, int number) {}

        Optional<Path> newest() throws IOException {
            return newestKept().map(Kept::path);
        }

        Path next(Instant now) throws IOException {
            String stamp = StoreDirectory.WHEN.format(now);
            Optional<Kept> taken = newestKept().filter(kept -> kept.stamp().compareTo(stamp) >= 0);
            return directory.resolveSibling(directory.getFileName() + ".before-restore-"
                    + taken.map(kept -> kept.stamp() + "-" + (kept.number() + 1))
                            .orElse(stamp));
        }

        private Optional<Kept> newestKept() throws IOException {
            Path parent = Optional.ofNullable(directory.getParent()).orElseThrow();
            if (!Files.isDirectory(parent)) {
                return Optional.empty();
            }
            try (Stream<Path> siblings = Files.list(parent)) {
                return siblings.flatMap(path -> kept(path).stream())
                        .max(Comparator.comparing(Kept::stamp).thenComparing(Kept::number));
            }
        }

        private Optional<Kept> kept(Path path) {
            Matcher name = names.matcher(path.getFileName().toString());
            return name.matches() && Files.isDirectory(path)
                    ? Optional.of(new Kept(
                            path,
                            name.group(1),
                            Optional.ofNullable(name.group(2))
                                    .map(Integer::valueOf)
                                    .orElse(1)))
                    : Optional.empty();
        }

        /** Throws if there is no database, but one that a restore put aside: an operator has to decide whether to begin anew. */
        static void refuseToBeginBeside(Path directory) throws IOException {
            if (!Files.exists(directory)) {
                Optional<Path> kept = new PreRestoreDirectories(directory).newest();
                if (kept.isPresent()) {
                    throw new StoreException(
                            directory + " is missing, and " + kept.get() + ", which a restore put aside, is there",
                            "to go on with that one, rename it to " + directory + "; to begin anew, move every "
                                    + directory.getFileName() + ".before-restore-* elsewhere");
                }
            }
        }
    }
}

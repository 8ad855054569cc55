package io.enipam.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the files of a database are called. The first number in a name is a generation: of a journal file the one before
 * its first frame, of a checkpoint the last one in it. The second one, of a journal file, is its epoch, if that is not
 * 0.
 */
record StoreDirectory(Path path) {
    private static final Pattern SEGMENT = Pattern.compile("journal-(\\d{19})(?:-(\\d{19}))?\\.log");
    private static final Pattern CHECKPOINT = Pattern.compile("checkpoint-(\\d{19})\\.db");
    private static final Comparator<JournalFile> BY_AGE =
            Comparator.comparing(JournalFile::epoch).thenComparing(JournalFile::base);
    private static final String UNFINISHED = ".tmp";

    /** How a time stands in the name of what is kept. */
    static final DateTimeFormatter WHEN =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    /**
     * Makes the directory, for its owner alone, if it is not there. Before a database is begun in it, its own name is
     * made durable: else a power loss takes the directory, and with it every commit that was forced.
     */
    void create(Disk disk) throws IOException {
        Path absolute = path.toAbsolutePath();
        makeParents(absolute, disk);
        if (!Files.isDirectory(path)) {
            Files.createDirectory(path, LocalDisk.ownersDirectory(path));
        }
        Path parent = absolute.getParent();
        if (parent != null && list(disk).empty()) { // also if an earlier start made it and died
            disk.forceDirectory(parent);
        }
    }

    private static void makeParents(Path directory, Disk disk) throws IOException {
        Path parent = directory.getParent();
        if (parent != null && !Files.isDirectory(parent)) {
            makeParents(parent, disk);
            Files.createDirectory(parent);
            disk.forceDirectory(parent.getParent());
        }
    }

    /** See {@link CommitWatermark}. */
    Path highMark() {
        return path.resolve("acknowledged");
    }

    Path lock() {
        return path.resolve("lock");
    }

    Path segment(long base, long epoch) {
        return path.resolve(
                epoch == 0 ? "journal-%019d.log".formatted(base) : "journal-%019d-%019d.log".formatted(base, epoch));
    }

    Path checkpoint(long generation) {
        return path.resolve("checkpoint-%019d.db".formatted(generation));
    }

    /** The name a file has until it is complete. */
    static Path unfinished(Path file) {
        return file.resolveSibling(file.getFileName() + UNFINISHED);
    }

    /** The name of a file that was found damaged and is not used any more. */
    static Path damaged(Path file) {
        return file.resolveSibling(file.getFileName() + ".damaged");
    }

    /** The name of a file of unknown origin that was found where one of this database had been. */
    static Path replaced(Path file, String when) {
        return file.resolveSibling(file.getFileName() + ".replaced-" + when);
    }

    /** What lies beside it: its name goes on with the suffix. */
    Path beside(String suffix) {
        return path.resolveSibling(path.getFileName() + suffix);
    }

    /** A name beside it that is not taken yet; it says when. */
    Path freeBeside(String suffix, Instant when) {
        Path free = beside(suffix + WHEN.format(when));
        for (int n = 2; Files.exists(free); n++) {
            free = beside(suffix + WHEN.format(when) + "-" + n);
        }
        return free;
    }

    /** Beside it: a database that is being rebuilt to take its place. */
    Path rebuilding() {
        return beside(".rebuilding");
    }

    /** Beside it: one that is rebuilt completely and has not taken its place yet. */
    Path rebuilt() {
        return beside(".rebuilt");
    }

    Listing list(Disk disk) throws IOException {
        return listing(disk.list(path));
    }

    Listing listing(List<String> names) {
        return new Listing(
                journal(names),
                numbers(names, CHECKPOINT),
                names.stream()
                        .filter(name -> name.endsWith(UNFINISHED))
                        .map(path::resolve)
                        .toList());
    }

    private List<JournalFile> journal(List<String> names) {
        List<JournalFile> files = new ArrayList<>();
        long limit = JournalFile.NONE;
        long base = JournalFile.NONE;
        long epoch = 0;
        List<JournalFile> newestFirst = names.stream()
                .flatMap(name -> named(path.resolve(name)).stream())
                .sorted(BY_AGE.reversed())
                .toList();
        for (JournalFile file : newestFirst) {
            if (file.epoch() < epoch) {
                limit = base;
            }
            epoch = file.epoch();
            base = file.base();
            files.add(new JournalFile(file.path(), base, epoch, limit));
        }
        Collections.reverse(files);
        return files;
    }

    private static Optional<JournalFile> named(Path file) {
        Matcher name = SEGMENT.matcher(file.getFileName().toString());
        return name.matches()
                ? Optional.of(new JournalFile(
                        file,
                        Long.parseLong(name.group(1)),
                        Optional.ofNullable(name.group(2)).map(Long::valueOf).orElse(0L),
                        JournalFile.NONE))
                : Optional.empty();
    }

    private static List<Long> numbers(List<String> names, Pattern pattern) {
        return names.stream()
                .map(pattern::matcher)
                .filter(Matcher::matches)
                .map(name -> Long.valueOf(name.group(1)))
                .sorted()
                .toList();
    }

    /**
     * @param journal the journal files, ascending by epoch and base
     * @param checkpoints generations of the checkpoints, ascending
     * @param unfinished files a crash left incomplete
     */
    record Listing(List<JournalFile> journal, List<Long> checkpoints, List<Path> unfinished) {
        boolean empty() {
            return journal.isEmpty() && checkpoints.isEmpty();
        }

        /**
         * The journal file that a checkpoint says was in use, if neither it nor a later one is here. Removing it
         * removed the last commits away, and, of a file of a higher epoch, what made others void.
         */
        Optional<String> missing(StoreSnapshot checkpoint) {
            return checkpoint
                    .journal()
                    .filter(name -> named(Path.of(name))
                            .filter(file -> journal.stream().noneMatch(other -> BY_AGE.compare(other, file) >= 0))
                            .isPresent());
        }

        /** Whether there are files that are not needed if the two newest checkpoints are sound. */
        boolean hasMoreThanNeeded() {
            if (checkpoints.size() > 2) {
                return true;
            }
            long fallback = checkpoints.size() < 2 ? 0 : checkpoints.get(0);
            return journal.stream().skip(1).anyMatch(file -> file.base() <= fallback);
        }

        Optional<Long> newestCheckpoint() {
            return checkpoints.isEmpty() ? Optional.empty() : Optional.of(checkpoints.get(checkpoints.size() - 1));
        }
    }

    /**
     * A journal file, by its name and by the names beside it.
     *
     * <p>After a write that failed it is not known what stands behind the last acknowledged commit, so the journal goes
     * on in a new file with a higher epoch, whose base is that commit. What an older epoch has above that base was
     * reported as failed: it is void, whatever it is.
     *
     * @param base the generation before its first frame
     * @param epoch 0 until a write has failed
     * @param limit the last generation that counts in it: {@link #NONE} in the newest epoch, else the base of the next
     *     one
     */
    record JournalFile(Path path, long base, long epoch, long limit) {
        static final long NONE = Long.MAX_VALUE;

        /** Whether no frame of it counts: an attempt to go on that came to nothing. */
        boolean isVoid() {
            return limit <= base;
        }
    }

    /** One process at a time: the lock of a database's directory, on the file {@code lock} in it. */
    static final class DirectoryLock implements Closeable {
        private final LockFile file;
        /** Whether no file in the directory can be another process's. */
        private volatile boolean settled = true;

        private DirectoryLock(LockFile file) {
            this.file = file;
        }

        /**
         * @param sign whether to write the pid into the file; without it no byte is written, as readers want it
         * @throws StoreException if another process, or this one, has the directory open
         */
        static DirectoryLock take(StoreDirectory store, boolean sign) throws IOException {
            try {
                return new DirectoryLock(LockFile.take(store.lock(), sign));
            } catch (LockFile.InUseException e) {
                throw new StoreException(
                        store.path() + " is in use by another process (" + e.holder() + ")",
                        "stop that process, or use another directory",
                        e);
            }
        }

        /** See {@link LockFile#isLinked}; false from {@link #renew} until {@link #settled} as well. */
        boolean isLinked() throws IOException {
            return settled && file.isLinked();
        }

        /**
         * Takes the lock of the file that has the name now, see {@link LockFile#renew}.
         *
         * @return whether no other process can have written to the directory: it is false from the moment another file
         *     was locked until {@link #settled}
         */
        boolean renew() throws IOException {
            if (!file.renew()) {
                settled = false;
            }
            return settled;
        }

        /** All files in the directory are this process's now. */
        void settled() {
            settled = true;
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}

package io.enipam.store;

import io.enipam.store.Disk.FileImage;
import io.enipam.store.RecordJson.DatabaseJson;
import io.enipam.store.Segment.SegmentHeader;
import io.enipam.store.StoreDirectory.JournalFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rebuilds the state at the last acknowledged commit: the newest checkpoint that proves itself, then every later commit
 * of the journal. Nothing is changed before all of it has been read and found right.
 */
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final Disk disk;
    private final StoreDirectory directory;
    private final List<Path> damagedCheckpoints = new ArrayList<>();
    private final StoreIncarnation birth = new StoreIncarnation();
    /** The journal file that has yet to get its name. */
    private Optional<Path> unnamed = Optional.empty();

    Recovery(Disk disk, StoreDirectory directory) {
        this.disk = disk;
        this.directory = directory;
    }

    /**
     * @param made when the database was made, see {@link SegmentHeader}
     * @param generation the last commit
     */
    record Recovered(LiveView view, long made, Segment segment, long epoch, long generation, Replayed replayed) {}

    /**
     * @param from the commit of the checkpoint that it went on from
     * @param ended the leases that ended since
     */
    record Replayed(long from, List<EndedLease> ended) {}

    /** The last journal file: what was read from it, and what that means. */
    @SuppressWarnings("ArrayRecordComponent") // never compared, never written
    private record Last(Path file, byte[] image, SegmentScan scan) {}

    private record Found(LiveView view, long made, Last last, List<Path> unfinished, Replayed replayed) {}

    /**
     * @param options tell the length of the first journal file of a new database, and its date
     * @throws StoreException if an acknowledged commit is damaged or missing
     */
    Recovered recover(StoreOptions options) throws IOException {
        List<String> names = disk.list(directory.path());
        StoreDirectory.Listing files = directory.listing(names);
        if (files.empty()) {
            delete(files.unfinished());
            disk.delete(directory.highMark());
            long made = StoreIncarnation.number(options.clock().instant());
            SegmentHeader header = new SegmentHeader(options.journalBytes(), 0, 0, made);
            return new Recovered(
                    new LiveView(), made, Segment.create(disk, directory, header), 0, 0, new Replayed(0, List.of()));
        }
        Found found = read(names, options);
        if (unnamed.isPresent()) {
            disk.renameDurably(StoreDirectory.unfinished(unnamed.get()), unnamed.get());
        }
        delete(found.unfinished());
        for (Path damaged : damagedCheckpoints) {
            disk.rename(damaged, StoreDirectory.damaged(damaged));
        }
        Last last = found.last();
        Segment segment = Segment.resume(disk, directory.path(), last.file(), last.image(), last.scan());
        return new Recovered(
                found.view(),
                found.made(),
                segment,
                last.scan().header().epoch(),
                last.scan().last(),
                found.replayed());
    }

    /** Reads a database that is there, and changes nothing; throws StoreException as {@link #recover} does. */
    void check(StoreOptions options) throws IOException {
        read(disk.list(directory.path()), options);
    }

    /** The database that a restore put aside last; empty if there is none, or it cannot be read. */
    static Optional<LeaseEnds.Opened> beforeRestore(Disk disk, StoreDirectory directory, StoreOptions options) {
        try {
            Optional<Path> kept = new StagedRestore.PreRestoreDirectories(directory.path()).newest();
            if (kept.isEmpty()) {
                return Optional.empty();
            }
            Found found = new Recovery(disk, new StoreDirectory(kept.get())).read(disk.list(kept.get()), options);
            return Optional.of(new LeaseEnds.Opened(
                    found.made(),
                    found.replayed().from(),
                    found.replayed().ended(),
                    () -> found.view().contents(new RecordCodec()).leases(),
                    Optional::empty));
        } catch (IOException | StoreException e) {
            LOG.warn("the database before the restore cannot be read: {}", e.toString());
            return Optional.empty();
        }
    }

    private Found read(List<String> names, StoreOptions options) throws IOException {
        StoreDirectory.Listing files = directory.listing(names);
        StoreSnapshot start = newestCheckpoint(files);
        unnamed = files.missing(start).map(directory.path()::resolve).filter(this::isPrepared);
        if (unnamed.isPresent()) {
            files = directory.listing(Stream.concat(
                            names.stream(),
                            Stream.of(unnamed.get().getFileName().toString()))
                    .toList());
        }
        if (files.journal().isEmpty()) {
            throw StoreException.damaged(directory.path()
                    + " has checkpoints but no journal file: it was deleted or is still to be restored");
        }
        files.missing(start).ifPresent(name -> {
            throw StoreException.damaged(
                    directory.path().resolve(name) + " is missing, and no later journal file is there: the next commit"
                            + " was to go to it when checkpoint " + start.generation() + " was written");
        });
        LiveView view = LiveView.of(start);
        List<EndedLease> ended = new ArrayList<>();
        view.follow(ended::addAll);
        Last last = replay(files.journal(), start.generation(), view);
        view.follow(ends -> {});
        try {
            checkRecords(view);
        } catch (StoreException e) {
            throw new StoreException(e.reason(), directory.path() + ": " + e.getMessage(), e.hint(), e);
        }
        return new Found(
                view,
                birth.of(view, options.clock()),
                last,
                files.unfinished(),
                new Replayed(start.generation(), ended));
    }

    /**
     * Whether a journal file is there that was to get its name next: the checkpoint that names it was written in between, see
     * {@link FileRecreation}. It takes commits under its name alone.
     */
    private boolean isPrepared(Path file) {
        try {
            byte[] image = disk.read(StoreDirectory.unfinished(file));
            return SegmentHeader.read(image)
                    .filter(header -> header.bytes() == image.length)
                    .isPresent();
        } catch (IOException e) {
            return false;
        }
    }

    private StoreSnapshot newestCheckpoint(StoreDirectory.Listing files) {
        List<Long> generations = files.checkpoints();
        for (int i = generations.size() - 1; i >= 0; i--) {
            long generation = generations.get(i);
            Path file = directory.checkpoint(generation);
            try {
                return CheckpointFile.read(disk, file, generation);
            } catch (IOException e) {
                LOG.warn("checkpoint {} is damaged ({}); trying the one before it", file, e.getMessage());
                damagedCheckpoints.add(file);
            }
        }
        return StoreSnapshot.EMPTY;
    }

    /** Applies all commits after a generation; returns the last file. */
    private Last replay(List<JournalFile> journal, long start, LiveView view) throws IOException {
        List<JournalFile> files = thatCount(journal);
        int first = 0;
        while (first + 1 < files.size() && files.get(first + 1).base() <= start) {
            first++;
        }
        if (files.get(first).base() > start) {
            throw missing(start + 1, files.get(first).base(), files.get(first).path());
        }
        Optional<Last> last = Optional.empty();
        for (JournalFile file : files.subList(first, files.size())) {
            if (last.isPresent() && last.get().scan().last() != file.base()) {
                throw missing(
                        last.get().scan().last() + 1, file.base(), last.get().file());
            }
            last = Optional.of(read(file, start, view));
        }
        Last end = last.orElseThrow();
        if (end.scan().last() < start) {
            throw missing(end.scan().last() + 1, start, end.file());
        }
        long acknowledged = new CommitWatermark(disk, directory).read();
        if (end.scan().last() < acknowledged) {
            throw StoreException.damaged(
                    end.file(),
                    end.scan().end(),
                    "commits " + (end.scan().last() + 1) + " to " + acknowledged
                            + " were acknowledged and do not follow here, nor in another journal file");
        }
        return end;
    }

    /** Without those that no frame counts of. */
    private static List<JournalFile> thatCount(List<JournalFile> journal) {
        for (JournalFile file : journal) {
            // an epoch goes on from the last acknowledged commit: never from before a file
            if (file.limit() < file.base()) {
                throw StoreException.damaged(
                        file.path(),
                        0,
                        "the journal file follows on commit " + file.base() + ", but a later epoch goes on from commit "
                                + file.limit());
            }
        }
        return journal.stream().filter(file -> !file.isVoid()).toList();
    }

    private Last read(JournalFile file, long start, LiveView view) throws IOException {
        boolean named = !unnamed.equals(Optional.of(file.path()));
        FileImage image = disk.readUntilZeroes(named ? file.path() : StoreDirectory.unfinished(file.path()));
        SegmentScan scan = SegmentScan.of(file.path(), image, file.limit(), (generation, offset, payload) -> {
            if (generation > start) {
                view.apply(List.of(Mutation.decode(file.path(), offset, payload)), generation);
            }
        });
        if (scan.header().base() != file.base()) {
            throw StoreException.damaged(
                    file.path(),
                    0,
                    "the journal file follows on commit " + scan.header().base() + ", its name says otherwise");
        }
        if (scan.header().epoch() != file.epoch()) {
            throw StoreException.damaged(
                    file.path(),
                    0,
                    "the journal file is of epoch " + scan.header().epoch() + ", its name says otherwise");
        }
        birth.says(file.path(), scan.header().made());
        return new Last(file.path(), image.bytes(), scan);
    }

    private StoreException missing(long from, long to, Path file) {
        String checkpoints =
                damagedCheckpoints.isEmpty() ? "" : "; these checkpoints are damaged: " + damagedCheckpoints;
        long size = Files.exists(file) ? file.toFile().length() : 0;
        return StoreException.damaged(
                file, size, "commits " + from + " to " + to + " were made and are not in the journal" + checkpoints);
    }

    private void checkRecords(LiveView view) {
        RecordCodec codec = new RecordCodec();
        StoreSnapshot others = view.snapshot(Bucket.META, Bucket.TABLES);
        others.of(Bucket.META).forEach(record -> codec.checkMeta(record.getKey(), record.getValue()));
        // all others by decoding them; the engine asks for them in a moment
        view.contents(codec);
        others.decode(Bucket.TABLES, codec::row);
    }

    private void delete(List<Path> unfinished) throws IOException {
        for (Path file : unfinished) {
            disk.delete(file);
        }
    }

    /**
     * When a database was made: this distinguishes its files from another's. Journal files have it in their header, and the
     * record that the database has of itself, which is in every checkpoint, has it as well. A file of another node, or of
     * the database that was here before, may follow the right commit and be sound in itself: only this reveals it.
     */
    static final class StoreIncarnation {
        private static final long NANOS = 1_000_000_000L;

        private final Map<Path, Long> journal = new LinkedHashMap<>();

        /** The instant as files have it: nanoseconds since 1970, never 0. */
        static long number(Instant made) {
            return Math.max(1, made.getEpochSecond() * NANOS + made.getNano());
        }

        static Instant instant(long number) {
            return Instant.ofEpochSecond(number / NANOS, number % NANOS);
        }

        /** Takes note of what a journal file says; 0 if it says nothing. */
        void says(Path file, long made) {
            if (made != 0) {
                journal.put(file, made);
            }
        }

        /**
         * @param view what checkpoint and journal give together
         * @param clock the time for a database whose process died before it had recorded one
         * @throws StoreException if a journal file says otherwise
         */
        long of(LiveView view, Clock clock) {
            long made = recorded(view.snapshot(Bucket.META))
                    .orElseGet(() -> journal.values().stream().findFirst().orElseGet(() -> number(clock.instant())));
            journal.forEach((file, other) -> {
                if (other != made) {
                    throw StoreException.damaged(
                            file,
                            0,
                            "the journal file belongs to a database that was made at " + instant(other)
                                    + ", this one was made at " + instant(made));
                }
            });
            return made;
        }

        /** When the database was made, if its records say so. */
        static Optional<Long> recorded(StoreSnapshot records) {
            return records.find(Bucket.META, DatabaseJson.KEY).map(record -> number(new RecordCodec().made(record)));
        }
    }
}

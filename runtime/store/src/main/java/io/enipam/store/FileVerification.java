package io.enipam.store;

import io.enipam.store.Segment.SegmentHeader;
import io.enipam.store.StoreDirectory.JournalFile;
import io.enipam.store.Verification.Problem;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Reads every journal file and every checkpoint, and replays the one over the other: each checkpoint has to hold what
 * the journal before it gives, and the last commit has to give the live view. Changes nothing.
 *
 * <p>Of a database that is in use, this is how a file that changes is never taken for a damaged one: it runs on the
 * thread that writes checkpoints and removes files, so neither happens meanwhile; the live view is copied first, and
 * since a commit is durable before it is in the view, every frame up to that commit stands in the files from then on,
 * and is never written again. Those frames are read and checked. Of what stands behind them in the file that is being
 * written, only damage is reported that is still there, unchanged, after a while in which nothing was committed. A file
 * that is newer than the copy is left out.
 */
final class FileVerification {
    private static final int LOOKS = 10;
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final Disk disk;
    private final StoreDirectory directory;
    private final List<Problem> problems = new ArrayList<>();
    private final NavigableMap<Long, Optional<StoreSnapshot>> checkpoints = new TreeMap<>();
    private LiveView replayed = new LiveView();
    private long start;
    private boolean gapless = true;
    private long segments;
    private long frames;
    private long last;

    FileVerification(Disk disk, StoreDirectory directory) {
        this.disk = disk;
        this.directory = directory;
    }

    /** @param replayed the records that the files give, if they give any */
    record Found(
            long segments,
            long frames,
            long checkpoints,
            long last,
            Optional<StoreSnapshot> replayed,
            List<Problem> problems) {}

    /**
     * Of a database in use.
     *
     * @param live a copy of its view, made on the thread that this runs on
     * @param generation its last commit, now
     */
    Found verify(StoreSnapshot live, LongSupplier generation) throws IOException {
        List<JournalFile> journal = begin(directory.list(disk), live.generation());
        for (int i = 0; i < journal.size(); i++) {
            JournalFile file = journal.get(i);
            Optional<JournalFile> next = journal.stream().skip(i + 1).findFirst();
            if (file.base() >= live.generation()) {
                empty(file);
            } else if (next.filter(later -> later.base() < live.generation()).isPresent()) {
                whole(file, next);
            } else {
                until(file, live.generation(), generation);
            }
        }
        if (gapless && last != live.generation()) {
            lacks(live.generation());
        }
        checkMark();
        if (gapless) {
            compare(directory.path(), replayed.snapshot(), live, "in the files", "in memory");
        }
        return found();
    }

    Found verify() throws IOException {
        StoreDirectory.Listing files = directory.list(disk);
        List<JournalFile> journal = begin(files, Long.MAX_VALUE);
        for (int i = 0; i < journal.size(); i++) {
            whole(journal.get(i), journal.stream().skip(i + 1).findFirst());
        }
        files.newestCheckpoint().filter(newest -> gapless && last < newest).ifPresent(this::lacks);
        checkMark();
        long acknowledged = new CommitWatermark(disk, directory).read();
        if (gapless && last < acknowledged) {
            lacks(acknowledged);
        }
        return found();
    }

    private void checkMark() throws IOException {
        if (new CommitWatermark(disk, directory).broken()) {
            String message = "the note of the last acknowledged commit is not readable; the next commit writes it anew";
            problem("journal", directory.highMark(), OptionalLong.of(0), message);
        }
    }

    /** Without those that no frame counts of, in the order of their commits. */
    private List<JournalFile> thatCount(List<JournalFile> journal) {
        journal.stream()
                .filter(file -> file.limit() < file.base())
                .forEach(file -> problem(
                        "journal",
                        file.path(),
                        OptionalLong.of(0),
                        "it follows on commit " + file.base() + ", but a later epoch goes on from commit "
                                + file.limit()));
        return journal.stream().filter(file -> !file.isVoid()).toList();
    }

    private Found found() {
        return new Found(
                segments,
                frames,
                checkpoints.size(),
                last,
                gapless ? Optional.of(replayed.snapshot()) : Optional.empty(),
                problems);
    }

    private void readCheckpoints(StoreDirectory.Listing files) {
        for (long generation : files.checkpoints()) {
            Path file = directory.checkpoint(generation);
            try {
                checkpoints.put(generation, Optional.of(CheckpointFile.read(disk, file, generation)));
            } catch (IOException | StoreException e) {
                checkpoints.put(generation, Optional.empty());
                problem("checkpoints", file, String.valueOf(e.getMessage()));
            }
        }
    }

    private void missing(StoreDirectory.Listing files) {
        if (files.journal().isEmpty()) {
            return; // which is reported by itself
        }
        checkpoints.descendingMap().values().stream()
                .flatMap(Optional::stream)
                .findFirst()
                .flatMap(files::missing)
                .ifPresent(name -> problem(
                        "journal",
                        directory.path().resolve(name),
                        "the file is missing, and no later one is there: the last commits were in it"));
    }

    /**
     * Reads the checkpoints, and finds where the replay starts: with the first commit, or with the oldest checkpoint
     * that the journal goes on from.
     *
     * @param newest files behind this commit do not matter
     * @return the journal files that matter, in the order of their commits
     */
    private List<JournalFile> begin(StoreDirectory.Listing files, long newest) {
        readCheckpoints(files);
        missing(files);
        List<JournalFile> journal = thatCount(files.journal()).stream()
                .filter(file -> file.base() <= newest)
                .toList();
        last = journal.isEmpty() ? 0 : journal.get(0).base();
        if (journal.isEmpty()) {
            gapless = false;
            problem("journal", directory.path(), "there is no journal file");
        } else if (last > 0) {
            start();
        }
        return journal;
    }

    private void start() {
        Optional<StoreSnapshot> oldest = checkpoints.tailMap(last, true).values().stream()
                .flatMap(Optional::stream)
                .findFirst();
        if (oldest.isPresent()) {
            replayed = LiveView.of(oldest.get());
            start = oldest.get().generation();
        } else {
            gapless = false;
            String message =
                    "no sound checkpoint has the commits up to " + last + ", which are not in the journal any more";
            problem("checkpoints", directory.path(), message);
        }
    }

    /** A file that is not written any more: all of it that counts is checked. */
    private void whole(JournalFile file, Optional<JournalFile> next) throws IOException {
        segments++;
        try {
            byte[] image = disk.read(file.path());
            SegmentScan scan = SegmentScan.of(
                    file.path(),
                    image,
                    file.limit(),
                    (generation, offset, payload) -> apply(file.path(), generation, offset, payload));
            named(file, scan.header());
            last = scan.last();
            if (next.isPresent() && next.get().base() != scan.last()) {
                gapless = false;
                problem(
                        "journal",
                        file.path(),
                        OptionalLong.of(scan.end()),
                        "commits " + (scan.last() + 1) + " to " + next.get().base() + " are missing");
            }
        } catch (StoreException e) {
            damaged(file.path(), e);
        }
    }

    /** The file that is being written: checked up to a commit that is in it. */
    private void until(JournalFile file, long newest, LongSupplier generation) throws IOException {
        segments++;
        byte[] image = disk.read(file.path());
        try {
            SegmentScan.of(file.path(), image, file.limit(), (at, offset, payload) -> {
                apply(file.path(), at, offset, payload);
                last = at;
                if (at == newest) {
                    throw new Enough();
                }
            });
        } catch (Enough reached) {
            SegmentHeader.read(image).ifPresent(header -> named(file, header));
            behind(file, generation);
        } catch (StoreException e) {
            damaged(file.path(), e);
        }
    }

    /** Looks behind the last commit for what no write that is under way explains. */
    private void behind(JournalFile file, LongSupplier generation) throws IOException {
        long before = generation.getAsLong();
        for (int look = 1; ; look++) {
            try {
                SegmentScan.of(file.path(), disk.read(file.path()), file.limit(), (at, offset, payload) -> {});
                return;
            } catch (StoreException e) {
                // after a write that failed the journal goes on elsewhere
                if (generation.getAsLong() != before
                        || !directory.list(disk).journal().contains(file)) {
                    return;
                }
                if (look == LOOKS) {
                    damaged(file.path(), e);
                    return;
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    /** The file that the next commit goes to. It may be gone again, if the disk refused something about it. */
    private void empty(JournalFile file) throws IOException {
        segments++;
        last = file.base();
        try {
            named(file, SegmentHeader.require(file.path(), disk.read(file.path())));
        } catch (NoSuchFileException e) {
            segments--;
        } catch (StoreException e) {
            damaged(file.path(), e);
        }
    }

    private void apply(Path file, long generation, int offset, byte[] payload) {
        frames++;
        if (!gapless || generation <= start) {
            return;
        }
        try {
            replayed.apply(List.of(Mutation.decode(payload)), generation);
        } catch (IllegalArgumentException e) {
            gapless = false;
            problem(
                    "journal",
                    file,
                    OptionalLong.of(offset),
                    "commit " + generation + " is not one that this program knows: " + e.getMessage());
            return;
        }
        Path checkpoint = directory.checkpoint(generation);
        checkpoints
                .getOrDefault(generation, Optional.empty())
                .ifPresent(
                        said -> compare(checkpoint, said, replayed.snapshot(), "in the checkpoint", "in the journal"));
    }

    private void named(JournalFile file, SegmentHeader said) {
        if (said.base() != file.base() || said.epoch() != file.epoch()) {
            gapless = false;
            problem(
                    "journal",
                    file.path(),
                    OptionalLong.of(0),
                    "it follows on commit " + said.base() + " in epoch " + said.epoch() + ", its name says otherwise");
        }
    }

    private void lacks(long generation) {
        gapless = false;
        String message = "commits " + (last + 1) + " to " + generation + " are not in the journal";
        problem("replay", directory.path(), message);
    }

    /** Names the first record in which two snapshots differ. */
    private void compare(Path where, StoreSnapshot files, StoreSnapshot other, String inFiles, String inOther) {
        for (Bucket bucket : Bucket.values()) {
            Map<String, byte[]> here = files.byKey(bucket);
            Map<String, byte[]> there = other.byKey(bucket);
            here.forEach((key, record) -> {
                byte[] beside = there.get(key);
                if (beside == null) {
                    differs(where, bucket, key, "it is " + inFiles + " and not " + inOther);
                } else if (!Arrays.equals(record, beside)) {
                    differs(where, bucket, key, "it is another one " + inFiles + " than " + inOther);
                }
            });
            there.keySet().stream()
                    .filter(key -> !here.containsKey(key))
                    .forEach(key -> differs(where, bucket, key, "it is " + inOther + " and not " + inFiles));
        }
    }

    private void differs(Path where, Bucket bucket, String key, String how) {
        problem("replay", where, "record " + bucket.text() + "/" + key + ": " + how);
    }

    private void damaged(Path file, StoreException e) {
        gapless = false;
        problem("journal", file, e.offset(), String.valueOf(e.getMessage()));
    }

    private void problem(String check, Path where, String message) {
        problem(check, where, OptionalLong.empty(), message);
    }

    private void problem(String check, Path where, OptionalLong offset, String message) {
        problems.add(new Problem(check, where.toString(), offset, message));
    }

    /** Ends a scan where what is sought has been read. */
    private static final class Enough extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Enough() {
            super("the last commit that counts was read", null, false, false);
        }
    }
}

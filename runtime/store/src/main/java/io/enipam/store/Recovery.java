package io.enipam.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Optional;
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

    Recovery(Disk disk, StoreDirectory directory) {
        this.disk = disk;
        this.directory = directory;
    }

    /**
     * What is ready to go on from.
     *
     * @param segment the file to append to
     * @param generation the last commit
     */
    record Recovered(LiveView view, Segment segment, long generation) {}

    /**
     * @param segmentBytes length of the first journal file of a new database
     * @throws StoreException if an acknowledged commit is damaged or missing
     */
    Recovered recover(int segmentBytes) throws IOException {
        StoreDirectory.Listing files = directory.list(disk);
        if (files.empty()) {
            deleteAll(files.unfinished());
            return new Recovered(new LiveView(), Segment.create(disk, directory, 0, segmentBytes), 0);
        }
        if (files.segments().isEmpty()) {
            throw Damage.of(directory.path()
                    + " has checkpoints but no journal file: it was deleted or is still to be restored");
        }
        Snapshot start = newestCheckpoint(files);
        LiveView view = LiveView.of(start);
        SegmentScan last = replay(files.segments(), start.generation(), view);
        try {
            checkRecords(view);
        } catch (StoreException e) {
            throw new StoreException(e.reason(), directory.path() + ": " + e.getMessage(), e.hint(), e);
        }
        deleteAll(files.unfinished());
        for (Path damaged : damagedCheckpoints) {
            disk.rename(damaged, StoreDirectory.damaged(damaged));
        }
        Segment segment = Segment.resume(disk, directory, last);
        return new Recovered(view, segment, last.last());
    }

    private Snapshot newestCheckpoint(StoreDirectory.Listing files) {
        List<Long> generations = files.checkpoints();
        for (int i = generations.size() - 1; i >= 0; i--) {
            long generation = generations.get(i);
            Path file = directory.checkpoint(generation);
            try {
                return CheckpointReader.read(disk, file, generation);
            } catch (IOException e) {
                LOG.warn("checkpoint {} is damaged ({}); trying the one before it", file, e.getMessage());
                damagedCheckpoints.add(file);
            }
        }
        return new Snapshot(0, new EnumMap<>(Bucket.class));
    }

    /** Applies all commits after a generation; returns the scan of the last file. */
    private SegmentScan replay(List<Long> bases, long start, LiveView view) throws IOException {
        int first = 0;
        while (first + 1 < bases.size() && bases.get(first + 1) <= start) {
            first++;
        }
        if (bases.get(first) > start) {
            throw missing(start + 1, bases.get(first), directory.segment(bases.get(first)));
        }
        Optional<SegmentScan> last = Optional.empty();
        for (long base : bases.subList(first, bases.size())) {
            if (last.isPresent() && last.get().last() != base) {
                throw missing(
                        last.get().last() + 1,
                        base,
                        directory.segment(last.get().base()));
            }
            last = Optional.of(scan(base, start, view));
        }
        SegmentScan end = last.orElseThrow();
        if (end.last() < start) {
            throw missing(end.last() + 1, start, directory.segment(end.base()));
        }
        return end;
    }

    private SegmentScan scan(long base, long start, LiveView view) throws IOException {
        Path file = directory.segment(base);
        SegmentScan scan = SegmentScan.of(file, disk.read(file), (generation, offset, payload) -> {
            if (generation > start) {
                view.apply(List.of(decode(file, offset, payload)), generation);
            }
        });
        if (scan.base() != base) {
            throw Damage.at(file, 0, "the journal file follows on commit " + scan.base() + ", its name says otherwise");
        }
        return scan;
    }

    private static List<Mutation> decode(Path file, int offset, byte[] payload) {
        try {
            return MutationCodec.decode(payload);
        } catch (IllegalArgumentException e) {
            throw Newer.of(
                    file + " has a commit at offset " + offset + " that this program does not know: " + e.getMessage(),
                    e);
        }
    }

    private StoreException missing(long from, long to, Path file) {
        String checkpoints =
                damagedCheckpoints.isEmpty() ? "" : "; these checkpoints are damaged: " + damagedCheckpoints;
        long size = Files.exists(file) ? file.toFile().length() : 0;
        return Damage.at(
                file, size, "commits " + from + " to " + to + " were made and are not in the journal" + checkpoints);
    }

    private void checkRecords(LiveView view) {
        RecordCodec codec = new RecordCodec();
        Snapshot all = view.snapshot();
        all.of(Bucket.META).forEach(record -> codec.checkMeta(record.getKey(), record.getValue()));
        // all others by decoding them; the engine asks for them in a moment
        view.contents(codec);
    }

    private void deleteAll(List<Path> unfinished) throws IOException {
        for (Path file : unfinished) {
            disk.delete(file);
        }
    }
}

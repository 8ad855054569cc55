package io.enipam.store;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.model.TableRow;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.store.CheckpointFile.DamagedCheckpointReader;
import io.enipam.store.RecordJson.NodeJson;
import io.enipam.store.Recovery.StoreIncarnation;
import io.enipam.store.SalvageResult.SalvagedRecord;
import io.enipam.store.Segment.SegmentHeader;
import io.enipam.store.StoreDirectory.JournalFile;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads what is left of a damaged database, leniently and honestly: whatever proves itself by its own checksums, wherever it
 * stands, and nothing else; and what is missing, as far as that shows. It writes nothing.
 *
 * <ul>
 *   <li>The newest checkpoint whose checksum and seal hold is where it starts.
 *   <li>Of any newer checkpoint the records are used that agree with their own checksums.
 *   <li>Of a sound journal file all commits are used, of a damaged one those that can be found by trying every place.
 *   <li>Commits whose numbers are missing are gaps. A record that was last seen before a gap may be stale.
 *   <li>If the last journal file is damaged or missing, it is not known how many commits followed: all records may be stale.
 * </ul>
 */
final class SalvageReader {
    private final Disk disk;
    private final StoreDirectory directory;
    private final RecordCodec codec = new RecordCodec();
    private final List<String> report = new ArrayList<>();
    private final List<SalvagedRecord<Lease>> leases = new ArrayList<>();
    private final Map<ResourceKey, SalvagedRecord<Hold>> holds = new LinkedHashMap<>();
    private final List<SalvagedRecord<Intent>> intents = new ArrayList<>();
    private final List<SalvagedRecord<CloudJournal.Entry>> operations = new ArrayList<>();
    private final List<SalvagedRecord<PodCopy>> pods = new ArrayList<>();
    private final List<SalvagedRecord<TableRow>> rows = new ArrayList<>();
    private Optional<NodeRecord> node = Optional.empty();

    SalvageReader(Disk disk, StoreDirectory directory) {
        this.disk = disk;
        this.directory = directory;
    }

    /** Throws StoreException if a newer program wrote it, IOException if the files cannot be read at all. */
    SalvageResult read() throws IOException {
        if (!Files.isDirectory(directory.path()) || directory.list(disk).empty()) {
            return SalvageResult.nothing(SalvageResult.State.MISSING);
        }
        Optional<String> trouble = trouble();
        return trouble.isEmpty() ? SalvageResult.nothing(SalvageResult.State.SOUND) : salvage(trouble.get());
    }

    private Optional<String> trouble() throws IOException {
        try {
            new Recovery(disk, directory).check(StoreOptions.defaults());
            return Optional.empty();
        } catch (StoreException e) {
            if (e.reason() != StoreException.Reason.DAMAGED) {
                throw e;
            }
            return Optional.of(String.valueOf(e.getMessage()));
        } catch (AccessDeniedException e) {
            throw e;
        } catch (IOException e) {
            return Optional.of(directory.path() + " cannot be read whole: " + e);
        }
    }

    private SalvageResult salvage(String trouble) throws IOException {
        StoreDirectory.Listing files = directory.list(disk);
        RecordHistory history = startFrom(files.checkpoints());
        boolean open = readJournal(files.journal(), history);
        history.seen(new CommitWatermark(disk, directory).read());
        history.visit(open, this::record);
        return new SalvageResult(
                SalvageResult.State.DAMAGED,
                Optional.of(trouble),
                new SalvageResult.Records(leases, List.copyOf(holds.values()), intents, operations, pods, rows, node),
                new SalvageResult.Commits(history.last(), history.gaps(), open),
                report);
    }

    private RecordHistory startFrom(List<Long> generations) throws IOException {
        List<Long> broken = new ArrayList<>();
        Optional<StoreSnapshot> start = Optional.empty();
        for (long generation :
                generations.stream().sorted(Comparator.reverseOrder()).toList()) {
            Path file = directory.checkpoint(generation);
            try {
                start = Optional.of(CheckpointFile.read(disk, file, generation));
                report.add(file.getFileName() + ": sound, all records as of commit " + generation);
                break;
            } catch (IOException e) {
                broken.add(generation);
            }
        }
        RecordHistory history = new RecordHistory(start);
        for (long generation : broken) {
            readBroken(generation, history);
        }
        return history;
    }

    private void readBroken(long generation, RecordHistory history) throws IOException {
        Path file = directory.checkpoint(generation);
        history.seen(generation);
        Optional<byte[]> image = image(file);
        if (image.isEmpty()) {
            return;
        }
        DamagedCheckpointReader.Reading reading = DamagedCheckpointReader.read(image.get(), generation);
        reading.proven().forEach(record -> history.single(generation, record));
        report.add(file.getFileName() + ": damaged; " + reading.proven().size() + " records as of commit " + generation
                + " prove themselves, " + reading.unproven() + " do not and are not used");
    }

    /** @return whether commits may have followed on the last one that is known */
    private boolean readJournal(List<JournalFile> journal, RecordHistory history) throws IOException {
        List<SegmentSalvager> segments = new ArrayList<>();
        for (JournalFile file : journal) {
            if (!file.isVoid()) { // what is in it was reported as failed, and the journal went on elsewhere
                Optional<byte[]> image = image(file.path());
                segments.add(
                        image.isPresent()
                                ? SegmentSalvager.of(file.path(), file.base(), file.limit(), image.get())
                                : SegmentSalvager.unreadable(file.path(), file.base()));
            }
        }
        segments.sort(Comparator.comparingLong(SegmentSalvager::base)); // a name may lie, a header does not
        boolean strangers = removeStrangers(segments, history);
        for (SegmentSalvager segment : segments) {
            long limit = segments.stream()
                    .mapToLong(SegmentSalvager::base)
                    .filter(base -> base > segment.base())
                    .findFirst()
                    .orElse(Long.MAX_VALUE);
            take(segment, limit, history);
        }
        if (segments.isEmpty()) {
            report.add("there is no journal file: whatever was committed after the checkpoints is missing");
            return true;
        }
        SegmentSalvager end = segments.get(segments.size() - 1);
        return strangers || !end.sound() || mayHaveASuccessor(end);
    }

    /** Journal files of another database prove what happened there: their leases are of other pods. */
    private boolean removeStrangers(List<SegmentSalvager> segments, RecordHistory history) {
        Optional<Long> own = history.made()
                .or(() -> segments.stream()
                        .map(SegmentSalvager::made)
                        .filter(made -> made != 0)
                        .findFirst());
        List<SegmentSalvager> strangers = segments.stream()
                .filter(segment -> segment.made() != 0 && own.isPresent() && segment.made() != own.get())
                .toList();
        strangers.forEach(
                segment -> report.add(segment.file().getFileName() + ": of another database, which was made at "
                        + StoreIncarnation.instant(segment.made()) + "; not used"));
        return segments.removeAll(strangers);
    }

    /** A file's bytes; empty if the disk does not give them, which is reported. */
    private Optional<byte[]> image(Path file) throws IOException {
        try {
            return Optional.of(disk.read(file));
        } catch (AccessDeniedException e) {
            throw e; // not damage: another user may read it
        } catch (IOException e) {
            report.add(file.getFileName() + ": the disk does not give it: " + e.getMessage());
            return Optional.empty();
        }
    }

    /**
     * Whether a newer journal file may be missing. A checkpoint is written when a file is full and the next one is there, and
     * when the database is closed: one of just the file's last commit may mean either.
     */
    private boolean mayHaveASuccessor(SegmentSalvager end) throws IOException {
        long last = end.frames().isEmpty()
                ? end.base()
                : end.frames().get(end.frames().size() - 1).generation();
        return directory.list(disk).checkpoints().stream().anyMatch(generation -> generation >= last);
    }

    /** @param limit where the next file goes on: what stands here behind it was given up before that was made */
    private void take(SegmentSalvager segment, long limit, RecordHistory history) {
        List<SegmentSalvager.Frame> used = segment.frames().stream()
                .filter(frame -> frame.generation() > segment.base() && frame.generation() <= limit)
                .toList();
        used.forEach(frame -> {
            history.commit(frame.generation(), frame.mutations());
            history.seen(frame.durable());
        });
        history.seen(segment.base());
        String commits = used.isEmpty()
                ? "no commit"
                : used.size() + " commits of " + used.get(0).generation() + " to "
                        + used.get(used.size() - 1).generation();
        report.add(segment.file().getFileName() + ": "
                + segment.trouble()
                        .map(trouble -> "damaged; " + commits + " prove themselves")
                        .orElse("sound, " + commits));
        segment.holes()
                .forEach(hole -> report.add(segment.file().getFileName() + ": nothing can be read from offset "
                        + hole.from() + " to " + hole.to()));
    }

    /** Turns a record into the engine's value. One that is not readable, though its checksum holds, is reported and left out. */
    private void record(Bucket bucket, String key, byte[] json, long generation, boolean certain) {
        try {
            switch (bucket) {
                case META -> {
                    codec.checkMeta(key, json);
                    node = key.equals(NodeJson.KEY) ? Optional.of(codec.node(json)) : node;
                }
                case LEASES -> leases.add(new SalvagedRecord<>(codec.lease(key, json), generation, certain));
                case RESERVATIONS, QUARANTINE ->
                    hold(new SalvagedRecord<>(codec.hold(bucket, key, json), generation, certain));
                case INTENTS -> intents.add(new SalvagedRecord<>(codec.intent(key, json), generation, certain));
                case OPERATIONS ->
                    operations.add(new SalvagedRecord<>(codec.operation(key, json), generation, certain));
                case PODS -> pods.add(new SalvagedRecord<>(codec.pod(key, json), generation, certain));
                case TABLES -> rows.add(new SalvagedRecord<>(codec.row(key, json), generation, certain));
            }
        } catch (StoreException e) {
            if (e.reason() == StoreException.Reason.NEWER) {
                throw e;
            }
            report.add(e.getMessage() + "; it is not used");
        }
    }

    /** A resource is held once. Two holds of it, a gap between them, are the newer one. */
    private void hold(SalvagedRecord<Hold> found) {
        holds.merge(
                ResourceKey.of(found.value().resource()),
                found,
                (one, other) -> one.generation() < other.generation() ? other : one);
    }

    /**
     * What is left of one journal file. A file that {@link SegmentScan} accepts is taken as it says; in any other one every
     * place where a frame may start is tried, and a frame counts if both of its checksums hold.
     *
     * @param made when its database was made, see {@link StoreIncarnation}; 0 if that is not known
     * @param base the generation before the first frame, by the header or, if that is lost, by the file's name
     * @param frames those that prove themselves, in the order of the file
     * @param holes what stands between and behind them and is no frame; none in a sound file
     * @param trouble what is wrong with the file; empty for a sound one
     */
    private record SegmentSalvager(
            Path file, long made, long base, List<Frame> frames, List<Hole> holes, Optional<String> trouble) {
        record Frame(long generation, long durable, List<Mutation> mutations) {}

        /** Bytes from one offset up to another, that one excluded. */
        record Hole(int from, int to) {}

        /**
         * @param named the base in the file's name
         * @param limit the last commit that counts in it, see {@link JournalFile}
         * @throws StoreException if a frame proves itself and a newer program wrote it
         */
        static SegmentSalvager of(Path file, long named, long limit, byte[] image) {
            List<Frame> sound = new ArrayList<>();
            long made = SegmentHeader.read(image).map(SegmentHeader::made).orElse(0L);
            try {
                SegmentScan scan = SegmentScan.of(
                        file, image, limit, (generation, offset, payload) -> sound.add(frame(file, image, offset)));
                return new SegmentSalvager(file, made, scan.header().base(), sound, List.of(), Optional.empty());
            } catch (StoreException e) {
                if (e.reason() == StoreException.Reason.NEWER) {
                    throw e;
                }
                long base = SegmentHeader.read(image).map(SegmentHeader::base).orElse(named);
                return sift(file, made, base, image, String.valueOf(e.getMessage()));
            }
        }

        static SegmentSalvager unreadable(Path file, long named) {
            return new SegmentSalvager(file, 0, named, List.of(), List.of(), Optional.of("the disk does not give it"));
        }

        boolean sound() {
            return trouble.isEmpty();
        }

        private static SegmentSalvager sift(Path file, long made, long base, byte[] image, String trouble) {
            List<Frame> frames = new ArrayList<>();
            List<Hole> holes = new ArrayList<>();
            int holeFrom = SegmentHeader.BYTES;
            int offset = SegmentHeader.BYTES;
            while (offset < image.length) {
                Optional<FrameHeader> header = FrameHeader.read(image, offset);
                if (header.isPresent() && header.get().payloadIntact(image, offset)) {
                    if (holeFrom < offset) {
                        holes.add(new Hole(holeFrom, offset));
                    }
                    frames.add(frame(file, image, offset));
                    offset += header.get().size();
                    holeFrom = offset;
                } else {
                    offset += FrameHeader.ALIGNMENT;
                }
            }
            int end = image.length;
            while (end > holeFrom && image[end - 1] == 0) {
                end--;
            }
            if (holeFrom < end) {
                holes.add(new Hole(holeFrom, end));
            }
            return new SegmentSalvager(file, made, base, frames, holes, Optional.of(trouble));
        }

        private static Frame frame(Path file, byte[] image, int offset) {
            FrameHeader header = FrameHeader.read(image, offset).orElseThrow();
            List<Mutation> mutations = Mutation.decode(file, offset, header.payload(image, offset));
            return new Frame(header.generation(), header.durable(), mutations);
        }
    }
}

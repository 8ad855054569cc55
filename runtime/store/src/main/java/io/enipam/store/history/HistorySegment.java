package io.enipam.store.history;

import com.google.common.collect.Lists;
import io.enipam.engine.model.LeaseRecord;
import io.enipam.engine.port.LeaseHistory.LeaseQuery;
import io.enipam.store.Disk;
import io.enipam.store.FrameHeader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A full file of the history, which is never written again: frames as the journal has them. The first one says what the file is, the
 * second one has a {@link KeyFilter} of each block, the others have a {@link LeaseBlock} each. The leases are ordered by their first
 * address, so that one address is in few blocks. Memory has the first frame alone: a search reads the filters, and then the blocks that
 * may have what it is for.
 *
 * @param generation the last commit of the database that is in it
 * @param made which database that was
 * @param span of time that the leases are of
 * @param offsets where the frames behind the first one begin, that of the filters and those of the blocks; the last is the file's length
 */
record HistorySegment(Path path, long generation, long made, int leases, Span span, List<Integer> offsets) {
    private static final int BLOCK = 64;
    private static final int FORMAT = 1;
    /** A container id is looked for by so many characters of it. */
    private static final int ID = LeaseRecord.SHORT_ID;

    /** When the lease that began first began, and the one that ended last ended. */
    record Span(Instant firstSince, Instant lastUntil) {
        static Span of(List<LeaseRecord> leases) {
            return new Span(
                    leases.stream()
                            .map(LeaseRecord::since)
                            .min(Comparator.naturalOrder())
                            .orElse(Instant.EPOCH),
                    leases.stream()
                            .map(lease -> lease.end().orElseThrow().at())
                            .max(Comparator.naturalOrder())
                            .orElse(Instant.EPOCH));
        }

        boolean touches(LeaseQuery query) {
            return !firstSince.isAfter(query.to()) && !lastUntil.isBefore(query.from());
        }
    }

    /** The bytes of a file. */
    static byte[] image(List<LeaseRecord> all, long generation, long made) throws IOException {
        List<LeaseRecord> sorted = all.stream()
                .sorted(Comparator.comparing(
                                (LeaseRecord lease) -> lease.addresses().get(0))
                        .thenComparing(LeaseRecord::since))
                .toList();
        List<byte[]> frames = new ArrayList<>();
        ByteArrayOutputStream filters = new ByteArrayOutputStream();
        for (List<LeaseRecord> part : Lists.partition(sorted, BLOCK)) {
            filters.writeBytes(KeyFilter.of(part.stream().flatMap(HistorySegment::keys)));
            frames.add(LeaseBlock.encode(part));
        }
        frames.add(0, filters.toByteArray());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream index = new DataOutputStream(bytes);
        Span span = Span.of(sorted);
        index.writeInt(FORMAT);
        index.writeLong(made);
        index.writeInt(sorted.size());
        index.writeLong(span.firstSince().toEpochMilli());
        index.writeLong(span.lastUntil().toEpochMilli() + 1); // it is kept to the nanosecond in memory alone
        index.writeInt(frames.size());
        for (byte[] frame : frames) {
            index.writeInt(FrameHeader.size(frame.length));
        }
        frames.add(0, bytes.toByteArray());
        ByteBuffer out = ByteBuffer.allocate(frames.stream()
                .mapToInt(frame -> FrameHeader.size(frame.length))
                .sum());
        frames.forEach(frame -> FrameHeader.of(frame, generation, generation).write(frame, out));
        return out.array();
    }

    /** What a lease is found by: each subject that it {@linkplain LeaseRecord#concerns concerns} has one of them in its probes. */
    private static Stream<String> keys(LeaseRecord lease) {
        return Stream.concat(
                lease.addresses().stream(),
                Stream.of(
                                lease.eni(),
                                lease.resource(),
                                lease.pod().name(),
                                lease.podUid(),
                                cut(lease.owner().containerId()))
                        .filter(key -> !key.isEmpty()));
    }

    private static List<String> probes(String subject) {
        return Stream.of(subject, subject.substring(subject.indexOf('/') + 1), cut(subject))
                .distinct()
                .toList();
    }

    private static String cut(String id) {
        return id.substring(0, Math.min(id.length(), ID));
    }

    /** Reads the index of a file; throws if it is not whole. */
    static HistorySegment open(Disk disk, Path path) throws IOException {
        FrameHeader header = header(path, disk.read(path, 0, FrameHeader.BYTES));
        byte[] frame = disk.read(path, 0, header.size());
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(payload(path, frame)));
        if (in.readInt() != FORMAT) {
            throw new IOException(path + " is of a format that this program does not know");
        }
        long made = in.readLong();
        int leases = in.readInt();
        Span span = new Span(Instant.ofEpochMilli(in.readLong()), Instant.ofEpochMilli(in.readLong()));
        int frames = in.readInt();
        List<Integer> offsets = new ArrayList<>(List.of(header.size()));
        for (int i = 0; i < frames; i++) {
            offsets.add(offsets.get(i) + in.readInt());
        }
        return new HistorySegment(path, header.generation(), made, leases, span, List.copyOf(offsets));
    }

    int bytes() {
        return offsets.get(offsets.size() - 1);
    }

    /**
     * The blocks that may have a lease of the query, by their numbers.
     *
     * @throws IOException if the filters cannot be read, or are not what was written
     */
    List<Integer> candidates(Disk disk, LeaseQuery query) throws IOException {
        if (!span.touches(query)) {
            return List.of();
        }
        int blocks = offsets.size() - 2;
        return query.subject().isEmpty()
                ? IntStream.rangeClosed(1, blocks).boxed().toList()
                : KeyFilter.matching(frame(disk, 0), probes(query.subject().get())).stream()
                        .map(found -> found + 1)
                        .toList();
    }

    /** @throws IOException if the block cannot be read, or is not what was written */
    List<LeaseRecord> read(Disk disk, int block) throws IOException {
        return LeaseBlock.decode(frame(disk, block));
    }

    private byte[] frame(Disk disk, int number) throws IOException {
        int offset = offsets.get(number);
        return payload(path, disk.read(path, offset, offsets.get(number + 1) - offset));
    }

    private static FrameHeader header(Path path, byte[] frame) throws IOException {
        return FrameHeader.read(frame, 0).orElseThrow(() -> new IOException(path + " is damaged"));
    }

    static byte[] payload(Path path, byte[] frame) throws IOException {
        FrameHeader header = header(path, frame);
        if (!header.payloadIntact(frame, 0)) {
            throw new IOException(path + " is damaged");
        }
        return header.payload(frame, 0);
    }
}

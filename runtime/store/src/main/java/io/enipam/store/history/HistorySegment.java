package io.enipam.store.history;

import com.google.common.collect.Lists;
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
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A full file of the history, which is never written again: frames as the journal has them. The first one says what the file is, the
 * second one is the {@link KeyFilter} of the blocks, the others have a block of records each, in the order of their
 * {@link RecordFormat}. Memory has the first frame alone: a search reads the filter, some 8 bytes a lease, and then the blocks
 * that may have what it is for.
 *
 * @param generation of a database the last commit that is in it
 * @param made which database, or which run of numbers, it is of
 * @param span of time that the records are of
 * @param offsets where the frames behind the first one begin, that of the filter and those of the blocks; the last is the file's length
 */
record HistorySegment<T>(
        RecordFormat<T> format, Path path, long generation, long made, int records, Span span, List<Integer> offsets) {
    private static final int BLOCK = 64;
    private static final int FORMAT = 2;

    /** When the record that began first began, and the one that ended last ended. */
    record Span(Instant firstSince, Instant lastUntil) {
        static <T> Span of(List<T> records, RecordFormat<T> format) {
            return new Span(
                    records.stream()
                            .map(format::begin)
                            .min(Comparator.naturalOrder())
                            .orElse(Instant.EPOCH),
                    records.stream()
                            .map(format::end)
                            .max(Comparator.naturalOrder())
                            .orElse(Instant.EPOCH));
        }

        boolean touches(Instant from, Instant to) {
            return !firstSince.isAfter(to) && !lastUntil.isBefore(from);
        }
    }

    /** The bytes of a file. */
    static <T> byte[] image(RecordFormat<T> format, List<T> all, long generation, long made) throws IOException {
        List<T> sorted = all.stream().sorted(format.order()).toList();
        List<byte[]> frames = new ArrayList<>();
        List<Set<String>> keys = new ArrayList<>();
        for (List<T> part : Lists.partition(sorted, BLOCK)) {
            keys.add(part.stream().flatMap(format::keys).collect(Collectors.toSet()));
            frames.add(format.encode(part));
        }
        frames.add(0, KeyFilter.of(keys));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream index = new DataOutputStream(bytes);
        Span span = Span.of(sorted, format);
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

    /** Reads the index of a file; throws if it is not whole. */
    static <T> HistorySegment<T> open(RecordFormat<T> format, Disk disk, Path path) throws IOException {
        FrameHeader header = header(path, disk.read(path, 0, FrameHeader.BYTES));
        byte[] frame = disk.read(path, 0, header.size());
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(payload(path, frame)));
        if (in.readInt() != FORMAT) {
            throw new IOException(path + " is of a format that this program does not know");
        }
        long made = in.readLong();
        int records = in.readInt();
        Span span = new Span(Instant.ofEpochMilli(in.readLong()), Instant.ofEpochMilli(in.readLong()));
        int frames = in.readInt();
        List<Integer> offsets = new ArrayList<>(List.of(header.size()));
        for (int i = 0; i < frames; i++) {
            offsets.add(offsets.get(i) + in.readInt());
        }
        return new HistorySegment<>(format, path, header.generation(), made, records, span, List.copyOf(offsets));
    }

    int bytes() {
        return offsets.get(offsets.size() - 1);
    }

    /**
     * The blocks that may have what is searched, by their numbers.
     *
     * @throws IOException if the filter cannot be read, or is not what was written
     */
    List<Integer> candidates(Disk disk, HistorySearch<T> search) throws IOException {
        if (!span.touches(search.from(), search.to())) {
            return List.of();
        }
        int blocks = offsets.size() - 2;
        return search.probes().isEmpty()
                ? IntStream.rangeClosed(1, blocks).boxed().toList()
                : KeyFilter.matching(frame(disk, 0), blocks, search.probes()).stream()
                        .mapToObj(found -> found + 1)
                        .toList();
    }

    /** @throws IOException if the block cannot be read, or is not what was written */
    List<T> read(Disk disk, int block) throws IOException {
        return format.decode(frame(disk, block));
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

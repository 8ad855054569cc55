package io.enipam.store.history;

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
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/**
 * A full file of the history, which is never written again: frames as the journal has them, the first one with an index, the others with
 * a {@link LeaseBlock} each. The leases are ordered by their first address, so that one address is in one block, or in two that are
 * neighbours; further addresses of a lease are in the index, each with its block.
 *
 * @param generation the last commit of the database that is in it
 * @param made which database that was
 * @param span of time that the leases are of
 * @param offsets where the block frames begin; one more than there are blocks, the last is the file's length
 * @param firsts the first address of each block
 * @param others ascending: the hash of an address that is not a lease's first one, and in the last 16 bits its block
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, never written
record HistorySegment(
        Path path,
        long generation,
        long made,
        int leases,
        Span span,
        List<Integer> offsets,
        List<String> firsts,
        long[] others) {
    private static final int BLOCK = 64;
    private static final int FORMAT = 1;

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
        List<byte[]> blocks = new ArrayList<>();
        List<String> firsts = new ArrayList<>();
        TreeSet<Long> others = new TreeSet<>();
        for (int from = 0; from < sorted.size(); from += BLOCK) {
            List<LeaseRecord> part = sorted.subList(from, Math.min(sorted.size(), from + BLOCK));
            int number = blocks.size();
            blocks.add(LeaseBlock.encode(part));
            firsts.add(part.get(0).addresses().get(0));
            part.forEach(
                    lease -> lease.addresses().stream().skip(1).forEach(address -> others.add(key(address) | number)));
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream index = new DataOutputStream(bytes);
        Span span = Span.of(sorted);
        index.writeInt(FORMAT);
        index.writeLong(made);
        index.writeInt(sorted.size());
        index.writeLong(span.firstSince().toEpochMilli());
        index.writeLong(span.lastUntil().toEpochMilli() + 1); // it is kept to the nanosecond in memory alone
        index.writeInt(blocks.size());
        for (int i = 0; i < blocks.size(); i++) {
            index.writeInt(FrameHeader.size(blocks.get(i).length));
            index.writeUTF(firsts.get(i));
        }
        index.writeInt(others.size());
        for (long other : others) {
            index.writeInt((int) (other >> Short.SIZE));
            index.writeShort((int) other);
        }
        blocks.add(0, bytes.toByteArray());
        ByteBuffer out = ByteBuffer.allocate(blocks.stream()
                .mapToInt(block -> FrameHeader.size(block.length))
                .sum());
        blocks.forEach(block -> FrameHeader.of(block, generation, generation).write(block, out));
        return out.array();
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
        int blocks = in.readInt();
        List<Integer> offsets = new ArrayList<>(List.of(header.size()));
        List<String> firsts = new ArrayList<>();
        for (int i = 0; i < blocks; i++) {
            offsets.add(offsets.get(i) + in.readInt());
            firsts.add(in.readUTF());
        }
        long[] others = new long[in.readInt()];
        for (int i = 0; i < others.length; i++) {
            others[i] = (long) in.readInt() << Short.SIZE | in.readUnsignedShort();
        }
        return new HistorySegment(path, header.generation(), made, leases, span, offsets, firsts, others);
    }

    int bytes() {
        return offsets.get(offsets.size() - 1);
    }

    /** The blocks that may have a lease of the query. */
    List<Integer> candidates(LeaseQuery query) {
        TreeSet<Integer> blocks = new TreeSet<>();
        if (!span.touches(query)) {
            return List.of();
        }
        for (int i = 0; i < firsts.size(); i++) {
            boolean last = i + 1 == firsts.size();
            int block = i;
            if (query.address()
                    .map(address -> firsts.get(block).compareTo(address) <= 0
                            && (last || address.compareTo(firsts.get(block + 1)) <= 0))
                    .orElse(true)) {
                blocks.add(i);
            }
        }
        query.address().ifPresent(address -> {
            int found = Arrays.binarySearch(others, key(address));
            for (int i = found < 0 ? -found - 1 : found;
                    i < others.length && key(address) == (others[i] & ~0xFFFFL);
                    i++) {
                blocks.add((int) (others[i] & 0xFFFF));
            }
        });
        return List.copyOf(blocks);
    }

    private static long key(String address) {
        return (long) address.hashCode() << Short.SIZE;
    }

    /** @throws IOException if the block cannot be read, or is not what was written */
    List<LeaseRecord> read(Disk disk, int block) throws IOException {
        int offset = offsets.get(block);
        return LeaseBlock.decode(payload(path, disk.read(path, offset, offsets.get(block + 1) - offset)));
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

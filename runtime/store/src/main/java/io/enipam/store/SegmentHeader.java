package io.enipam.store;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The first 4096 bytes of a journal file. They are durable before the file gets its name and never written again.
 *
 * @param bytes the preallocated length of the file, which it never changes
 * @param base the generation before the first frame of the file
 */
record SegmentHeader(int bytes, long base) {
    /** A whole block, so that no frame shares a sector with the header. */
    static final int BYTES = 4096;

    private static final long MAGIC = 0x656E6970616D4A31L; // "enipamJ1"; the digit is the format's version
    private static final int CHECKED_BYTES = 20;

    ByteBuffer encode() {
        ByteBuffer out = ByteBuffer.allocate(CHECKED_BYTES + Integer.BYTES);
        out.putLong(MAGIC).putInt(bytes).putLong(base);
        return out.putInt(crc(out.array())).flip();
    }

    /** The header of a journal file's bytes, if it is one. */
    static Optional<SegmentHeader> read(byte[] image) {
        if (image.length < BYTES) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(image);
        long magic = in.getLong();
        SegmentHeader header = new SegmentHeader(in.getInt(), in.getLong());
        return magic == MAGIC && in.getInt() == crc(image) ? Optional.of(header) : Optional.empty();
    }

    private static int crc(byte[] image) {
        CRC32C crc = new CRC32C();
        crc.update(image, 0, CHECKED_BYTES);
        return (int) crc.getValue();
    }
}

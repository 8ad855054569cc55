package io.enipam.store.journal;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * One frame of a journal: what was made durable by one force.
 *
 * <pre>
 * magic 4 | payload length 4 | generation 8 | CRC32C of length, generation and payload 4 | payload
 * </pre>
 *
 * <p>A frame is a whole group of commits. A crash can tear the last frame, and only that one, because the next is not begun
 * before it was forced: so a frame that is whole behind one that is not means damage, never a crash.
 *
 * @param generation one more than the frame before, from 1 on
 * @param payload at most {@value #MAX_PAYLOAD} bytes
 */
public record Frame(long generation, byte[] payload) {
    static final int MAGIC = 0x454e4950; // "ENIP"
    static final int HEADER = 20;
    static final int MAX_PAYLOAD = 64 << 20;

    int size() {
        return HEADER + payload.length;
    }

    ByteBuffer encode() {
        ByteBuffer bytes = ByteBuffer.allocate(size());
        bytes.putInt(MAGIC)
                .putInt(payload.length)
                .putLong(generation)
                .putInt(checksum(generation, payload))
                .put(payload);
        return bytes.flip();
    }

    /** Reads the frame that begins at an offset; empty if there is none that is whole. */
    static Optional<Frame> decode(byte[] file, int offset) {
        if (offset + HEADER > file.length) {
            return Optional.empty();
        }
        ByteBuffer bytes = ByteBuffer.wrap(file, offset, file.length - offset);
        if (bytes.getInt() != MAGIC) {
            return Optional.empty();
        }
        int length = bytes.getInt();
        long generation = bytes.getLong();
        int checksum = bytes.getInt();
        if (length < 0 || length > MAX_PAYLOAD || length > bytes.remaining() || generation < 1) {
            return Optional.empty();
        }
        byte[] payload = new byte[length];
        bytes.get(payload);
        return checksum(generation, payload) == checksum
                ? Optional.of(new Frame(generation, payload))
                : Optional.empty();
    }

    private static int checksum(long generation, byte[] payload) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(12)
                .putInt(payload.length)
                .putLong(generation)
                .flip());
        crc.update(payload);
        return (int) crc.getValue();
    }
}

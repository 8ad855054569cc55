package io.enipam.store;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The 32 bytes before each payload in the journal, big-endian: magic, payload length, CRC32C of the payload, generation,
 * durable generation, CRC32C of these 28 bytes. Frames start at multiples of 32, so that a header never straddles two
 * disk sectors: it is on the disk whole or not at all.
 *
 * @param length payload bytes, 1 or more
 * @param payloadCrc CRC32C of the payload
 * @param generation the commit's number: one more than the frame before
 * @param durable the generation that was known to be on disk when this frame was written. A missing frame with a higher
 *     number was never acknowledged; one with this or a lower number was.
 */
public record FrameHeader(int length, int payloadCrc, long generation, long durable) {
    public static final int BYTES = 32;
    static final int ALIGNMENT = 32;
    private static final int MAGIC = 0xE21FA301;
    private static final int CHECKED_BYTES = 28;

    public static FrameHeader of(byte[] payload, long generation, long durable) {
        return new FrameHeader(payload.length, crc(payload, 0, payload.length), generation, durable);
    }

    /** The header at an offset of a journal file's bytes, if its own checksum holds. */
    public static Optional<FrameHeader> read(byte[] image, int offset) {
        if (offset + BYTES > image.length) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(image, offset, BYTES);
        int magic = in.getInt();
        FrameHeader header = new FrameHeader(in.getInt(), in.getInt(), in.getLong(), in.getLong());
        boolean valid = magic == MAGIC && in.getInt() == crc(image, offset, CHECKED_BYTES) && header.length > 0;
        return valid ? Optional.of(header) : Optional.empty();
    }

    public void write(byte[] payload, ByteBuffer out) {
        ByteBuffer checked = ByteBuffer.allocate(BYTES);
        checked.putInt(MAGIC)
                .putInt(length)
                .putInt(payloadCrc)
                .putLong(generation)
                .putLong(durable);
        checked.putInt(crc(checked.array(), 0, CHECKED_BYTES)).flip();
        out.put(checked).put(payload);
        for (int i = size(length) - BYTES - length; i > 0; i--) {
            out.put((byte) 0);
        }
    }

    /** Whether the payload behind this header, which stands at the offset, is there and unharmed. */
    public boolean payloadIntact(byte[] image, int offset) {
        return fits(image.length, offset) && crc(image, offset + BYTES, length) == payloadCrc;
    }

    /** Whether so long a payload, behind this header at the offset, ends within so many bytes. */
    boolean fits(int bytes, int offset) {
        return length <= bytes - offset - BYTES;
    }

    public int size() {
        return size(length);
    }

    public static int size(int payloadLength) {
        return Math.addExact(BYTES + ALIGNMENT - 1, payloadLength) / ALIGNMENT * ALIGNMENT;
    }

    public byte[] payload(byte[] image, int offset) {
        return Arrays.copyOfRange(image, offset + BYTES, offset + BYTES + length);
    }

    static int crc(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }
}

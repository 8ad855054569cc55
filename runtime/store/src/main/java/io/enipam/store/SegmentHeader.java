package io.enipam.store;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The first 4096 bytes of a journal file, big-endian: magic, length, base, epoch, birth of the database, and in the last four bytes the CRC32C of all
 * before. They are durable before the file gets its name and never written again. Format 1 had no epoch, and its checksum
 * stood right behind the base.
 *
 * @param bytes the preallocated length of the file, which it never changes
 * @param base the generation before the first frame of the file
 * @param epoch how often the journal had to go on in a new file after a write that failed
 * @param made when the database was made, in nanoseconds since 1970, which tells the files of two databases apart; 0 in files
 *     of before this was kept
 */
record SegmentHeader(int bytes, long base, long epoch, long made) {
    /** A whole block, so that no frame shares a sector with the header. */
    static final int BYTES = 4096;

    private static final long MAGIC = 0x656E6970616D4A30L; // "enipamJ0"; the last digit is the format's version
    private static final int FORMAT = 2;
    private static final int CRC_AT = BYTES - Integer.BYTES;
    private static final int FORMER_CRC_AT = 20;

    ByteBuffer encode() {
        ByteBuffer out = ByteBuffer.allocate(BYTES);
        out.putLong(MAGIC + FORMAT).putInt(bytes).putLong(base).putLong(epoch).putLong(made);
        out.putInt(CRC_AT, crc(out.array(), CRC_AT));
        return out.clear();
    }

    /** The header of a journal file's bytes, if it is one that this program knows. */
    static Optional<SegmentHeader> read(byte[] image) {
        if (image.length < BYTES) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(image);
        long format = in.getLong() - MAGIC;
        int bytes = in.getInt();
        long base = in.getLong();
        if (format == 1 && in.getInt(FORMER_CRC_AT) == crc(image, FORMER_CRC_AT)) {
            return Optional.of(new SegmentHeader(bytes, base, 0, 0));
        }
        return format == FORMAT && sound(image)
                ? Optional.of(new SegmentHeader(bytes, base, in.getLong(), in.getLong()))
                : Optional.empty();
    }

    /**
     * The same, of a file that has to have one.
     *
     * @throws StoreException if it is damaged, or a newer program wrote it: every format from 2 on has its checksum there
     */
    static SegmentHeader require(Path file, byte[] image) {
        return read(image).orElseThrow(() -> {
            long format = image.length < BYTES ? 0 : ByteBuffer.wrap(image).getLong() - MAGIC;
            return format > FORMAT && format <= 9 && sound(image)
                    ? NewerFormatErrors.of(
                            "journal file " + file + " has format " + format + ", this program knows up to " + FORMAT)
                    : DamageErrors.at(file, 0, "the header of the journal file is not readable");
        });
    }

    private static boolean sound(byte[] image) {
        return ByteBuffer.wrap(image).getInt(CRC_AT) == crc(image, CRC_AT);
    }

    private static int crc(byte[] image, int length) {
        CRC32C crc = new CRC32C();
        crc.update(image, 0, length);
        return (int) crc.getValue();
    }
}

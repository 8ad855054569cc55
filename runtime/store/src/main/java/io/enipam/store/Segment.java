package io.enipam.store;

import io.enipam.store.Disk.DiskFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The journal file that is written now. Its length is fixed when it is made, so that appending changes no metadata and
 * a commit can neither meet a full disk nor need more than one {@code fdatasync}. Used by one thread at a time.
 */
final class Segment implements Closeable {
    private static final int ZEROES = 1 << 16;

    private final Path path;
    private final DiskFile file;
    private final int bytes;
    private int end;

    private Segment(Path path, DiskFile file, int bytes, int end) {
        this.path = path;
        this.file = file;
        this.bytes = bytes;
        this.end = end;
    }

    /** Makes a file, which has its name once all of it is durable; if this throws, it may have got its name. */
    static Segment create(Disk disk, StoreDirectory directory, SegmentHeader header) throws IOException {
        prepare(disk, directory, header);
        return finish(disk, directory, header);
    }

    /** Writes all of a file under the name of an unfinished one, and makes it durable. */
    static void prepare(Disk disk, StoreDirectory directory, SegmentHeader header) throws IOException {
        Path unfinished = StoreDirectory.unfinished(directory.segment(header.base(), header.epoch()));
        disk.delete(unfinished);
        try (DiskFile file = disk.create(unfinished)) {
            zero(file, 0, header.bytes());
            file.write(header.encode(), 0);
            file.force();
        } catch (IOException e) {
            disk.deleteAfter(e, unfinished);
            throw e;
        }
    }

    static Segment finish(Disk disk, StoreDirectory directory, SegmentHeader header) throws IOException {
        Path path = directory.segment(header.base(), header.epoch());
        disk.renameDurably(StoreDirectory.unfinished(path), path);
        return new Segment(path, disk.open(path), header.bytes(), SegmentHeader.BYTES);
    }

    /**
     * Opens an existing file to append to, and makes durable what was read from it: a killed process may have left
     * frames in the page cache alone, and from now on they count. The last group is written once more: if the process
     * was killed after a force that failed, the kernel has its pages, takes them for clean, and would force nothing.
     *
     * @param image what was read from it
     * @param scan what that means; what a crash tore behind the last frame is erased, lest a later frame of the torn
     *     group be taken for a new one
     */
    static Segment resume(Disk disk, Path directory, Path path, byte[] image, SegmentScan scan) throws IOException {
        Segment segment = new Segment(path, disk.open(path), scan.header().bytes(), scan.end());
        try {
            segment.file.write(
                    ByteBuffer.wrap(image, scan.lastGroup(), scan.end() - scan.lastGroup()), scan.lastGroup());
            if (scan.torn()) {
                zero(segment.file, segment.end, segment.bytes);
            }
            segment.file.force();
            disk.forceDirectory(directory);
            return segment;
        } catch (IOException e) {
            segment.close();
            throw e;
        }
    }

    boolean hasRoomFor(long size) {
        return size <= room();
    }

    boolean isEmpty() {
        return end == SegmentHeader.BYTES;
    }

    int room() {
        return bytes - end;
    }

    /** Appends frames and returns when they are durable. */
    void append(ByteBuffer frames) throws IOException {
        int size = frames.remaining();
        file.write(frames, end);
        file.force();
        end += size;
    }

    /** Zeroes what a failed append of this size may have left behind the last durable frame. */
    void erase(int size) throws IOException {
        zero(file, end, end + size);
        file.force();
    }

    boolean isLinked() throws IOException {
        return file.isLinked();
    }

    Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    private static void zero(DiskFile file, int from, int to) throws IOException {
        ByteBuffer zeroes = ByteBuffer.allocateDirect(Math.min(ZEROES, to - from));
        for (int at = from; at < to; at += zeroes.limit()) {
            zeroes.clear().limit(Math.min(zeroes.capacity(), to - at));
            file.write(zeroes, at);
        }
    }

    /**
     * The first 4096 bytes of a journal file, big-endian: magic, length, base, epoch, birth of the database, and in the
     * last four bytes the CRC32C of all before. They are durable before the file gets its name and never written again.
     * Format 1 had no epoch, and its checksum stood right behind the base.
     *
     * @param bytes the preallocated length of the file, which it never changes
     * @param base the generation before the first frame of the file
     * @param epoch how often the journal had to go on in a new file after a write that failed
     * @param made when the database was made, in nanoseconds since 1970, which distinguishes the files of two
     *     databases; 0 in files of before this was kept
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
            out.putLong(MAGIC + FORMAT)
                    .putInt(bytes)
                    .putLong(base)
                    .putLong(epoch)
                    .putLong(made);
            out.putInt(CRC_AT, FrameHeader.crc(out.array(), 0, CRC_AT));
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
            if (format == 1 && in.getInt(FORMER_CRC_AT) == FrameHeader.crc(image, 0, FORMER_CRC_AT)) {
                return Optional.of(new SegmentHeader(bytes, base, 0, 0));
            }
            return format == FORMAT && sound(image)
                    ? Optional.of(new SegmentHeader(bytes, base, in.getLong(), in.getLong()))
                    : Optional.empty();
        }

        /**
         * The same, of a file that has to have one.
         *
         * @throws StoreException if it is damaged, or a newer program wrote it: every format from 2 on has its checksum
         *     there
         */
        static SegmentHeader require(Path file, byte[] image) {
            return read(image).orElseThrow(() -> {
                long format = image.length < BYTES ? 0 : ByteBuffer.wrap(image).getLong() - MAGIC;
                return format > FORMAT && format <= 9 && sound(image)
                        ? StoreException.newer("journal file " + file + " has format " + format
                                + ", this program knows up to " + FORMAT)
                        : StoreException.damaged(file, 0, "the header of the journal file is not readable");
            });
        }

        private static boolean sound(byte[] image) {
            return ByteBuffer.wrap(image).getInt(CRC_AT) == FrameHeader.crc(image, 0, CRC_AT);
        }
    }
}

package io.enipam.store.journal;

import io.enipam.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * One file of the journal, preallocated and filled with zeros, so that a force never has to write the file's length.
 *
 * <pre>
 * magic 8 | first generation 8 | file size 8 | CRC32C of the three 4 | frames ... | zeros
 * </pre>
 *
 * <p>The header says how long the file was made: one that is shorter has lost its tail, which would otherwise look like a
 * journal that ends early. Not thread-safe: the writer thread owns it.
 */
final class JournalFile implements AutoCloseable {
    private static final long MAGIC = 0x454e4950414d4a31L; // "ENIPAMJ1"
    private static final int HEADER = 28;
    private static final String PREFIX = "journal-";
    private static final String SUFFIX = ".log";

    private final Path path;
    private final Disk.OpenFile file;
    private final long size;
    private long position;

    private JournalFile(Path path, Disk.OpenFile file, long size, long position) {
        this.path = path;
        this.file = file;
        this.size = size;
        this.position = position;
    }

    /**
     * Makes a new file, durable under its name when this returns.
     *
     * @param first the generation of the first frame it will hold
     * @param size at least this many bytes
     */
    static JournalFile create(Disk disk, Path directory, long first, long size) throws IOException {
        Path path = directory.resolve(name(first));
        Path temporary = directory.resolve(name(first) + ".tmp");
        disk.delete(temporary);
        try (Disk.OpenFile file = disk.open(temporary)) {
            byte[] zeros = new byte[1 << 16];
            for (long at = 0; at < size; at += zeros.length) {
                file.write(ByteBuffer.wrap(zeros, 0, (int) Math.min(zeros.length, size - at)), at);
            }
            file.write(header(first, size), 0);
            file.force();
        }
        disk.rename(temporary, path);
        disk.forceDirectory(directory);
        return new JournalFile(path, disk.open(path), size, HEADER);
    }

    /** What a file holds: its frames up to the first that is not whole. */
    record Scan(Path path, long first, List<Frame> frames, long end, boolean dirtyTail) {}

    /**
     * Reads a file.
     *
     * @throws StoreException if it is damaged in a way no crash leaves behind
     */
    static Scan scan(Disk disk, Path path) throws IOException {
        byte[] bytes;
        try (Disk.OpenFile file = disk.open(path)) {
            bytes = file.read(0, (int) Math.min(Integer.MAX_VALUE - 8, file.size()));
        }
        long first = firstGeneration(path.getFileName().toString()).orElseThrow();
        checkHeader(path, bytes, first);
        List<Frame> frames = new ArrayList<>();
        int at = HEADER;
        Optional<Frame> frame = Frame.decode(bytes, at);
        while (frame.isPresent() && frame.get().generation() == first + frames.size()) {
            frames.add(frame.get());
            at += frame.get().size();
            frame = Frame.decode(bytes, at);
        }
        int later = laterFrame(bytes, at);
        if (later >= 0) {
            throw damaged(path, at, "a frame is not whole, yet one behind it, at offset " + later + ", is");
        }
        return new Scan(path, first, frames, at, !zeros(bytes, at));
    }

    /** Opens a scanned file to go on writing behind its last whole frame; what a crash tore there is wiped. */
    static JournalFile resume(Disk disk, Scan scan) throws IOException {
        Disk.OpenFile file = disk.open(scan.path());
        long size = file.size();
        if (scan.dirtyTail()) {
            file.write(ByteBuffer.allocate((int) (size - scan.end())), scan.end());
            file.force();
        }
        return new JournalFile(scan.path(), file, size, scan.end());
    }

    boolean fits(Frame frame) {
        return position + frame.size() <= size;
    }

    /** Writes a frame and forces it. If this throws, the file is to be given up. */
    void append(Frame frame) throws IOException {
        file.write(frame.encode(), position);
        file.force();
        position += frame.size();
    }

    Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    /** The size a file needs to hold one frame. */
    static long sizeFor(Frame frame) {
        return HEADER + frame.size();
    }

    static String name(long first) {
        return String.format("%s%019d%s", PREFIX, first, SUFFIX);
    }

    /** The first generation that a file's name tells, or empty if it is no journal's name. */
    static Optional<Long> firstGeneration(String name) {
        return name.matches(PREFIX + "\\d{19}\\" + SUFFIX)
                ? Optional.of(Long.parseLong(name.substring(PREFIX.length(), name.length() - SUFFIX.length())))
                : Optional.empty();
    }

    private static ByteBuffer header(long first, long size) {
        ByteBuffer header = ByteBuffer.allocate(HEADER);
        header.putLong(MAGIC).putLong(first).putLong(size);
        header.putInt(checksum(header.array()));
        return header.flip();
    }

    private static int checksum(byte[] header) {
        CRC32C crc = new CRC32C();
        crc.update(header, 0, HEADER - 4);
        return (int) crc.getValue();
    }

    private static void checkHeader(Path path, byte[] bytes, long first) {
        if (bytes.length < HEADER) {
            throw damaged(path, bytes.length, "the file ends inside its header");
        }
        ByteBuffer header = ByteBuffer.wrap(bytes, 0, HEADER);
        long magic = header.getLong();
        long generation = header.getLong();
        long size = header.getLong();
        if (magic != MAGIC || header.getInt() != checksum(bytes)) {
            throw damaged(path, 0, "the header is not whole");
        }
        if (generation != first) {
            throw damaged(path, 8, "the file says it begins at generation " + generation + ", its name says " + first);
        }
        if (bytes.length != size) {
            throw damaged(path, bytes.length, "the file was made " + size + " bytes long and has " + bytes.length);
        }
    }

    /** The offset of a whole frame at or behind an offset, or -1. */
    private static int laterFrame(byte[] bytes, int from) {
        for (int at = from; at + Frame.HEADER <= bytes.length; at++) {
            if (bytes[at] == (byte) (Frame.MAGIC >>> 24)
                    && Frame.decode(bytes, at).isPresent()) {
                return at;
            }
        }
        return -1;
    }

    private static boolean zeros(byte[] bytes, int from) {
        for (int at = from; at < bytes.length; at++) {
            if (bytes[at] != 0) {
                return false;
            }
        }
        return true;
    }

    static StoreException damaged(Path path, long offset, String what) {
        return new StoreException(
                "the database is damaged: " + path + " at offset " + offset + ": " + what,
                "keep the directory for a look at it, and put a backup in its place");
    }
}

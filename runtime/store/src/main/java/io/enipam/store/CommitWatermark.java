package io.enipam.store;

import io.enipam.store.Disk.DiskFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last acknowledged commit, in a file of its own: written after each force and before the acknowledgement, and never forced
 * itself, so that it costs next to nothing. What it says is therefore always true and may be late: after a kill it is exact,
 * after a power loss perhaps some seconds old.
 *
 * <p>Without it, the end of the last journal file proves nothing: where the last commits were wiped out, the file looks as if
 * they had never been, and where all of it is gone, the file before it looks like the last one. Used by one thread at a time.
 */
final class CommitWatermark implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(CommitWatermark.class);
    private static final long MAGIC = 0x656E6970616D4831L; // "enipamH1"
    private static final int CHECKED_BYTES = 2 * Long.BYTES;
    private static final int BYTES = CHECKED_BYTES + Integer.BYTES;

    private final Disk disk;
    private final StoreDirectory directory;
    private Optional<DiskFile> file = Optional.empty();

    CommitWatermark(Disk disk, StoreDirectory directory) {
        this.disk = disk;
        this.directory = directory;
    }

    /** What the file says; 0 if there is none, or none that is whole. */
    long read() throws IOException {
        Optional<byte[]> image = image();
        return image.filter(CommitWatermark::whole).isPresent()
                ? ByteBuffer.wrap(image.get()).getLong(Long.BYTES)
                : 0;
    }

    /** Whether there is one that is not what was written. A power loss may leave it so, and nothing rests on it. */
    boolean broken() throws IOException {
        Optional<byte[]> image = image();
        return image.isPresent() && !whole(image.get());
    }

    private Optional<byte[]> image() throws IOException {
        try {
            return Optional.of(disk.read(directory.highMark()));
        } catch (NoSuchFileException e) {
            return Optional.empty(); // the database is new, or of before there was a mark
        }
    }

    private static boolean whole(byte[] image) {
        ByteBuffer in = ByteBuffer.wrap(image);
        return image.length >= BYTES
                && in.getLong() == MAGIC
                && in.getInt(CHECKED_BYTES) == FrameHeader.crc(image, 0, CHECKED_BYTES);
    }

    /** Raises the mark. It is no reason to refuse a commit that this does not work. */
    void raise(long generation) {
        ByteBuffer out = ByteBuffer.allocate(BYTES);
        out.putLong(MAGIC).putLong(generation);
        out.putInt(FrameHeader.crc(out.array(), 0, CHECKED_BYTES)).flip();
        try {
            if (file.isEmpty()) {
                file = Optional.of(open());
            }
            file.get().write(out, 0);
        } catch (IOException e) {
            LOG.debug("cannot note that commit {} is acknowledged", generation, e);
        }
    }

    /** Opens the file anew with the next mark: the journal goes on elsewhere, and this one may be gone. */
    void reopen() {
        try {
            close();
        } catch (IOException e) {
            LOG.debug("cannot close the file of the last commit's number", e);
        }
        file = Optional.empty();
    }

    private DiskFile open() throws IOException {
        try {
            return disk.open(directory.highMark());
        } catch (NoSuchFileException e) {
            return disk.create(directory.highMark());
        }
    }

    @Override
    public void close() throws IOException {
        if (file.isPresent()) {
            file.get().close();
        }
    }
}

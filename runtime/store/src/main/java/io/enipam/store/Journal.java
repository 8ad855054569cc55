package io.enipam.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Appends groups of commits: one write and one {@code fdatasync} a group, a new file when the present one is full. Used by
 * one thread at a time.
 *
 * <p>After a write or force that failed nobody knows what is on the disk (the kernel may have dropped the dirty pages and
 * reports that once), so trying again proves nothing: the journal erases what it can and refuses everything until the
 * database is opened again and reads what is really there. Only if the erasing fails too may a commit that was reported as
 * failed be found then. A new file that cannot be made is another matter: nothing
 * was written, and the next commit tries again.
 */
final class Journal implements Closeable {
    private final Disk disk;
    private final StoreDirectory directory;
    private final int segmentBytes;
    private Segment segment;
    private long generation;
    private ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
    private Optional<IOException> failure = Optional.empty();

    /** @param generation the last durable commit */
    Journal(Disk disk, StoreDirectory directory, int segmentBytes, Segment segment, long generation) {
        this.disk = disk;
        this.directory = directory;
        this.segmentBytes = segmentBytes;
        this.segment = segment;
        this.generation = generation;
    }

    /** The last durable commit. */
    long generation() {
        return generation;
    }

    /** Whether the journal takes commits: no write has failed. */
    boolean sound() {
        return failure.isEmpty();
    }

    /**
     * Makes room for a group, in a new file if need be.
     *
     * @return whether a file was filled
     */
    boolean prepare(List<PendingCommit> group) throws IOException {
        if (failure.isPresent()) {
            throw new IOException(
                    "commits are refused since a write to " + segment.path() + " failed ("
                            + failure.get().getMessage() + "); check the disk and restart enipamd",
                    failure.get());
        }
        int size = size(group);
        if (segment.hasRoomFor(size)) {
            return false;
        }
        int bytes = Math.max(segmentBytes, SegmentHeader.BYTES + size);
        Segment next = create(bytes);
        Segment full = segment;
        segment = next;
        full.close();
        return true;
    }

    private Segment create(int bytes) throws IOException {
        try {
            return Segment.create(disk, directory, generation, bytes);
        } catch (IOException e) {
            // It may have got its name. The next commit may still fit into the present file, and then a later file that
            // starts before that commit would look like damage.
            removeAfter(e);
            throw new IOException(
                    "cannot make a new journal file in " + directory.path() + ": " + e.getMessage()
                            + "; check the disk, the next commit tries again",
                    e);
        }
    }

    private void removeAfter(IOException cause) {
        Path unusable = directory.segment(generation);
        if (unusable.equals(segment.path())) { // the present file is empty, and this was to replace it
            failure = Optional.of(cause);
            return;
        }
        try {
            disk.delete(unusable);
            disk.forceDirectory(directory.path());
        } catch (IOException e) {
            cause.addSuppressed(e);
            failure = Optional.of(cause);
        }
    }

    /** Makes a group durable. */
    void append(List<PendingCommit> group) throws IOException {
        int size = size(group);
        if (buffer.capacity() < size) {
            buffer = ByteBuffer.allocateDirect(size);
        }
        buffer.clear();
        long next = generation;
        for (PendingCommit commit : group) {
            next++;
            FrameHeader.of(commit.payload(), next, generation).write(commit.payload(), buffer);
        }
        try {
            segment.append(buffer.flip());
        } catch (IOException e) {
            failure = Optional.of(e);
            eraseAfter(e);
            throw new IOException(
                    "cannot write to " + segment.path() + ": " + e.getMessage()
                            + "; check the disk and restart enipamd",
                    e);
        }
        generation = next;
    }

    /** Takes no more commits, for a reason outside the journal. */
    void refuse(IOException reason) {
        failure = failure.or(() -> Optional.of(reason));
    }

    private void eraseAfter(IOException cause) {
        try {
            segment.eraseTail();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    private static int size(List<PendingCommit> group) {
        int size = 0;
        for (PendingCommit commit : group) {
            size = Math.addExact(size, commit.frameBytes());
        }
        return size;
    }

    @Override
    public void close() throws IOException {
        segment.close();
    }
}

package io.enipam.store.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * The few things the database asks of a file system, so that a test can stand between it and a disk that fails, tears a
 * write or loses what was not forced. Every method blocks and throws {@link IOException} if the disk says no.
 */
public interface Disk {
    /** Opens a file for reading and writing, creating it with owner-only permissions. */
    OpenFile open(Path file) throws IOException;

    /** The names of a directory's entries, sorted. */
    List<String> list(Path directory) throws IOException;

    /** Replaces {@code to} by {@code from} atomically. */
    void rename(Path from, Path to) throws IOException;

    void delete(Path file) throws IOException;

    /** Makes creations, renames and deletions in a directory durable. */
    void forceDirectory(Path directory) throws IOException;

    /** A file that is open. */
    interface OpenFile extends AutoCloseable {
        long size() throws IOException;

        /** Writes the whole buffer at a position. */
        void write(ByteBuffer bytes, long position) throws IOException;

        /** Reads up to {@code length} bytes at a position; fewer only at the file's end. */
        byte[] read(long position, int length) throws IOException;

        /** Makes what was written durable. */
        void force() throws IOException;

        @Override
        void close() throws IOException;
    }
}

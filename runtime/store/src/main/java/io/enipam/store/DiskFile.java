package io.enipam.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** One open file. Used by one thread at a time. */
public interface DiskFile extends Closeable {
    /** Writes all that remains in the buffer at an offset in bytes; may have written a part of it when it throws. */
    void write(ByteBuffer bytes, long offset) throws IOException;

    /** Returns when everything written so far, and the length it gave the file, survives a power loss. */
    void force() throws IOException;

    /**
     * Whether the path by which the file was created or opened still names this file. A file that was removed, or whose directory
     * was removed, renamed, replaced or mounted over, takes writes and forces as before, and no later process finds them.
     */
    boolean isLinked() throws IOException;
}

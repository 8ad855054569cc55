package io.enipam.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The few file operations durability depends on, behind one wall so that a test can lose, tear or refuse them. All
 * methods are safe to call from several threads as long as each file has one user.
 */
public interface Disk {
    static Disk local() {
        return new LocalDisk();
    }

    /**
     * Creates a file for its owner alone (0600 where the file system has modes) and opens it for writing.
     *
     * @throws java.nio.file.FileAlreadyExistsException if it is there
     */
    DiskFile create(Path file) throws IOException;

    /** Opens an existing file for reading and writing. */
    DiskFile open(Path file) throws IOException;

    byte[] read(Path file) throws IOException;

    /** A part of a file; shorter than the length where the file ends before. */
    default byte[] read(Path file, long offset, int length) throws IOException {
        byte[] all = read(file);
        int from = (int) Math.min(offset, all.length);
        return Arrays.copyOfRange(all, from, Math.min(all.length, from + length));
    }

    /** Reads a file up to the zeroes at its end, which are most of a journal file that was just begun. */
    default FileImage readUntilZeroes(Path file) throws IOException {
        byte[] all = read(file);
        int end = all.length;
        while (end > 0 && all[end - 1] == 0) {
            end--;
        }
        int blocks = (end + FileImage.BLOCK - 1) / FileImage.BLOCK * FileImage.BLOCK;
        return new FileImage(Arrays.copyOf(all, Math.min(blocks, all.length)), all.length);
    }

    /**
     * What a file holds.
     *
     * @param bytes its first bytes, as a rule whole blocks of 4096: all behind them are zero. Not to be changed
     * @param length of the file, at most 2 GiB
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record FileImage(byte[] bytes, int length) {
        private static final int BLOCK = 4096;
    }

    /** The names in a directory, in no particular order. */
    List<String> list(Path directory) throws IOException;

    /** Renames within one directory, replacing what has the new name, in one step. */
    void rename(Path from, Path to) throws IOException;

    /** Deletes a file; nothing happens if there is none. */
    void delete(Path file) throws IOException;

    /** Deletes a file after a failure, which stays the one that is reported. */
    default void deleteAfter(IOException cause, Path file) {
        try {
            delete(file);
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    /** Renames, and returns when the new name survives a power loss. */
    default void renameDurably(Path from, Path to) throws IOException {
        rename(from, to);
        forceDirectory(to.toAbsolutePath().getParent());
    }

    /** Deletes a directory of files, if it is there. */
    default void deleteDirectory(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            for (String name : list(directory)) {
                delete(directory.resolve(name));
            }
            delete(directory);
        }
    }

    /** Makes the names in a directory durable: without it, a new or renamed file may be gone after a power loss. */
    void forceDirectory(Path directory) throws IOException;

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
}

package io.enipam.store;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;

/** The last free space of a disk, which is left to the database by what shares the disk with it and can wait. */
public final class ReservedSpace {
    /** Two journal files of the database and a checkpoint, on a disk that is large enough for that. */
    private static final long MOST = 64L << 20;

    private static final int SHARE = 20;

    private ReservedSpace() {}

    /** @throws IOException if nothing but that is free in the directory's file system */
    public static void leave(Path directory) throws IOException {
        // statvfs(3) alone: a FileStore reads the table of mounts, and fails where that does not have the file system
        File place = directory.toFile();
        long kept = Math.min(MOST, place.getTotalSpace() / SHARE);
        if (place.getUsableSpace() < kept) {
            throw new IOException("No space left on device but " + (kept >> 10) + " KiB, which are the database's");
        }
    }
}

package io.enipam.platform;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/** A small file that is replaced atomically: after a crash it has the old contents or the new, never a part. */
public final class AtomicFile {
    private AtomicFile() {}

    /** Replaces the file; the contents are on disk when this returns. */
    public static void write(Path file, byte[] contents) throws IOException {
        Path next = next(file);
        Files.write(next, contents);
        takeOver(next, file);
    }

    /** The same for a file that only this user may read. */
    public static void writePrivate(Path file, byte[] contents) throws IOException {
        Path next = next(file);
        // a file that a crash has left may be readable
        Files.deleteIfExists(next);
        Files.createFile(next, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(next, contents);
        takeOver(next, file);
    }

    private static Path next(Path file) {
        return file.resolveSibling(file.getFileName() + ".new");
    }

    private static void takeOver(Path next, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        forceDirectoryOf(file);
    }

    /** Deletes the file if it exists; the deletion is on disk when this returns. */
    public static void delete(Path file) throws IOException {
        Files.deleteIfExists(file);
        forceDirectoryOf(file);
    }

    private static void forceDirectoryOf(Path file) throws IOException {
        try (FileChannel directory = FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
            directory.force(true);
        }
    }
}

package io.enipam.shell.sandbox;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/** A directory of one's own, mode 0700, that is gone afterwards. */
final class ScratchDirectory {
    /** Tells the daemon that the directory was made for it, so that it removes it should the shell be killed. */
    private static final String MARKER = ".ephemeral";

    private ScratchDirectory() {}

    static Path make(Path parent) {
        try {
            Path directory = Files.createTempDirectory(
                            parent,
                            "enipam-",
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")))
                    .toRealPath();
            Files.createFile(directory.resolve(MARKER));
            return directory;
        } catch (IOException e) {
            throw new ShellException(
                    ExitStatus.NOT_ATTACHED,
                    "",
                    "no scratch directory can be made in " + parent + " (" + e + ")",
                    "Set TMPDIR to a directory that can be written",
                    e);
        }
    }

    /** Removes it with all that is in it; what somebody else removes meanwhile, such as the daemon itself, is fine. */
    static void remove(Path directory) throws IOException {
        try {
            Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                    return gone(e);
                }

                @Override
                public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException e) throws IOException {
                    if (e != null) {
                        return gone(e);
                    }
                    Files.deleteIfExists(dir);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (NoSuchFileException alreadyGone) {
            return;
        }
    }

    private static FileVisitResult gone(IOException e) throws IOException {
        if (e instanceof NoSuchFileException) {
            return FileVisitResult.CONTINUE;
        }
        throw e;
    }
}

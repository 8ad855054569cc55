package io.enipam.shell.fleet;

import io.enipam.shell.attach.ShellException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.atomic.AtomicLong;

/** A directory for sockets that only its owner can enter. Thread-safe. */
public final class PrivateDirectory implements AutoCloseable {
    private final Path directory;
    private final AtomicLong names = new AtomicLong();

    private PrivateDirectory(Path directory) {
        this.directory = directory;
    }

    /** @throws ShellException if nothing can be made in {@code parent} */
    public static PrivateDirectory make(Path parent) {
        try {
            return new PrivateDirectory(Files.createTempDirectory(
                    parent,
                    "enipam-",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))));
        } catch (IOException e) {
            throw ShellException.unattached(
                    "no private directory can be made in " + parent + " (" + e + ")",
                    "Set TMPDIR to a directory that can be written",
                    e);
        }
    }

    /** A name in it that was not given before; short, as a socket's path has to be. */
    Path next() {
        return directory.resolve("n" + names.incrementAndGet());
    }

    /** Removes it with all that is in it, as far as that can be done. */
    @Override
    public void close() {
        try {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
                for (Path file : files) {
                    Files.deleteIfExists(file);
                }
            }
            Files.deleteIfExists(directory);
        } catch (IOException left) {
            return; // it is empty of secrets, and in a directory for what may be lost
        }
    }
}

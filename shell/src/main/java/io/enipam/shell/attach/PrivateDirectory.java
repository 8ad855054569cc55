package io.enipam.shell.attach;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A directory for what may be lost, which only its owner can enter (mode 0700). Thread-safe. */
public record PrivateDirectory(Path path) implements AutoCloseable {
    /** Makes a "scratch" one, say, with empty files in it. Throws {@link ShellException} if nothing can be made there. */
    public static PrivateDirectory make(Path parent, String kind, String... files) {
        try {
            var owners = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
            Path path = Files.createTempDirectory(parent, "enipam-", owners).toRealPath();
            for (String file : files) {
                Files.createFile(path.resolve(file));
            }
            return new PrivateDirectory(path);
        } catch (IOException e) {
            throw ShellException.unattached(
                    "no " + kind + " directory can be made in " + parent + " (" + e + ")",
                    "Set TMPDIR to a directory that can be written",
                    e);
        }
    }

    /** Removes it with all that is in it; what somebody else removes meanwhile is no error. */
    public void remove() throws IOException {
        remove(path);
    }

    private static void remove(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> inside = Files.newDirectoryStream(path)) {
                for (Path each : inside) {
                    remove(each);
                }
            } catch (NoSuchFileException gone) {
                return;
            } catch (DirectoryIteratorException e) {
                throw e.getCause();
            }
        }
        Files.deleteIfExists(path);
    }

    /** The same as far as it goes. */
    @Override
    public void close() {
        try {
            remove();
        } catch (IOException left) {
            return; // it is empty of secrets
        }
    }
}

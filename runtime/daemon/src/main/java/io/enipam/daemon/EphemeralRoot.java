package io.enipam.daemon;

import io.enipam.config.IoReason;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A root that is deleted with its daemon. Only a directory that was created or found empty for this purpose is ever
 * deleted: it contains a marker file. A directory that contains only this process's own log counts as empty. Links are
 * removed, never followed.
 */
final class EphemeralRoot {
    static final String MARKER = ".ephemeral";

    private static final int MOST_TRIES = 20;
    private static final Duration PAUSE = Duration.ofMillis(50);

    private static final List<Path> OWN_OUTPUT = List.of(Path.of("/proc/self/fd/1"), Path.of("/proc/self/fd/2"));
    private static final Logger LOG = LoggerFactory.getLogger(EphemeralRoot.class);

    private final Path root;
    private final boolean ours;

    private EphemeralRoot(Path root, boolean ours) {
        this.root = root;
        this.ours = ours;
    }

    /** Claims a directory; one with other contents is used, and kept at the end. */
    static EphemeralRoot claim(Path root) {
        DaemonLayout.makeWritable(root);
        try {
            Path marker = root.resolve(MARKER);
            boolean marked = Files.isRegularFile(marker);
            if (!marked && isEmpty(root)) {
                Files.createFile(marker);
                marked = true;
            }
            if (!marked) {
                LOG.warn("{} was not empty: it is left in place at the end", root);
            }
            return new EphemeralRoot(root, marked);
        } catch (IOException e) {
            throw new StartupException(root + " cannot be used: " + IoReason.of(e) + "; choose another --root", e);
        }
    }

    /** Whether the directory is deleted at the end. */
    boolean ours() {
        return ours;
    }

    /** Deletes it, and once more if another process that ends at the same time has added a file. */
    void delete() throws IOException {
        if (!ours) {
            return;
        }
        for (int tries = 1; ; tries++) {
            try {
                deleteTree();
                return;
            } catch (DirectoryNotEmptyException e) {
                if (tries == MOST_TRIES) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    private void deleteTree() throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException failure) throws IOException {
                Files.deleteIfExists(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Whether it contains only what this process itself writes: its log, if that is there. */
    private static boolean isEmpty(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.allMatch(EphemeralRoot::isOwnOutput);
        }
    }

    private static boolean isOwnOutput(Path entry) {
        return OWN_OUTPUT.stream().anyMatch(output -> {
            try {
                return Files.isSameFile(output, entry);
            } catch (IOException e) {
                // a closed or foreign descriptor is not this file
                return false;
            }
        });
    }
}

package io.enipam.daemon.terway;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;

/**
 * Which CIDR the plugin was told for which sandbox, one small file for each below the run directory, named by the container: it outlives
 * the daemon and not the machine, as the sandbox does. Nothing hangs on a file but the answer to the sandbox's DEL, so that one
 * whose DEL never comes is dropped when there are too many. Thread-safe.
 */
final class CidrSandboxes {
    /** Many times the pods of the largest node. */
    static final int MOST = 4096;

    private final Path directory;

    CidrSandboxes(Path directory) {
        this.directory = directory;
    }

    /** @throws IpamException if it cannot be written */
    synchronized void remember(String container, String cidr) {
        try {
            Files.createDirectories(directory);
            makeRoom();
            // a leading dot is no container id
            Path next = directory.resolve("." + Thread.currentThread().getId());
            Files.writeString(next, cidr + "\n", StandardCharsets.UTF_8);
            Files.move(
                    next,
                    directory.resolve(container),
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw trouble("written", e);
        }
    }

    Optional<String> find(String container) {
        try {
            return Optional.of(Files.readString(directory.resolve(container), StandardCharsets.UTF_8)
                            .strip())
                    .filter(cidr -> !cidr.isEmpty());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw trouble("read", e);
        }
    }

    synchronized void forget(String container) {
        try {
            Files.deleteIfExists(directory.resolve(container));
        } catch (IOException e) {
            throw trouble("removed", e);
        }
    }

    private void makeRoom() throws IOException {
        File[] files = directory.toFile().listFiles();
        if (files != null && files.length >= MOST) {
            Arrays.sort(files, Comparator.comparingLong(File::lastModified));
            for (File oldest : Arrays.copyOf(files, files.length - MOST + 1)) {
                Files.deleteIfExists(oldest.toPath());
            }
        }
    }

    private IpamException trouble(String what, IOException e) {
        return new IpamException(
                ErrorCode.TRY_AGAIN,
                "what the sandbox was told cannot be " + what + " in " + directory + ": " + e.getMessage(),
                "try again later: the disk is full, or this directory cannot be used",
                e);
    }
}

package io.enipam.frontends.terway;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.sdk.PodRef;
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
 * The CIDR with which each sandbox was answered, one small file for each below the run directory, named by the container; and for each
 * pod which of its sandboxes the plugin connected last, in whichever mode. The files outlive the daemon and not the machine, as sandboxes do. Nothing hangs on a file
 * but the answer to the sandbox's DEL, so that one whose DEL never comes is dropped when there are too many. Thread-safe.
 */
record CidrSandboxStore(Path directory) {
    /** Many times the pods of the largest node. */
    static final int MOST = 4096;

    /** @throws IpamException if it cannot be written */
    void remember(String container, String cidr) {
        write(directory.resolve(container), cidr);
    }

    /**
     * The plugin is about to connect a pod by this sandbox, which ends the link of any former one. The order of these calls counts,
     * not the clock.
     *
     * @throws IpamException if it cannot be written
     */
    void rememberNewest(PodRef pod, String container) {
        write(newestOf(pod), container);
    }

    private synchronized void write(Path file, String text) {
        try {
            Files.createDirectories(directory);
            makeRoom();
            // a leading dot is no container id
            Path next = directory.resolve("." + Thread.currentThread().getId());
            Files.writeString(next, text + "\n", StandardCharsets.UTF_8);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw trouble("written", e);
        }
    }

    private Path newestOf(PodRef pod) {
        return directory.resolve(".newest-" + SandboxRef.podHash(pod));
    }

    /** The CIDR with which a sandbox was answered. */
    Optional<String> find(String container) {
        return read(directory.resolve(container));
    }

    /** The sandbox by which the plugin connected a pod last, unless that has ended. */
    Optional<String> newest(PodRef pod) {
        return read(newestOf(pod));
    }

    private Optional<String> read(Path file) {
        try {
            return Optional.of(Files.readString(file, StandardCharsets.UTF_8).strip())
                    .filter(text -> !text.isEmpty());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw trouble("read", e);
        }
    }

    synchronized void forget(String container, PodRef pod) {
        try {
            Files.deleteIfExists(directory.resolve(container));
            if (newest(pod).equals(Optional.of(container))) {
                Files.deleteIfExists(newestOf(pod));
            }
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

package io.enipam.diagnostics.doctor.fact;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The file system of a directory.
 *
 * @param usable bytes that the daemon may still write
 * @param inodes empty if the file system has no such limit, or nobody tells it
 */
public record DiskFacts(Path directory, long total, long usable, Optional<Inodes> inodes) {
    /** How many files there may be, and how many more. */
    public record Inodes(long total, long free) {}

    /** Looks at it. */
    public static DiskFacts of(Path directory) throws IOException, InterruptedException {
        FileStore store = Files.getFileStore(directory);
        return new DiskFacts(directory, store.getTotalSpace(), store.getUsableSpace(), inodesOf(directory));
    }

    /** The JDK does not tell of inodes; stat(1) of coreutils does, where there is one. */
    private static Optional<Inodes> inodesOf(Path directory) throws InterruptedException {
        try {
            Process stat = new ProcessBuilder("stat", "-f", "-c", "%c %d", directory.toString())
                    .redirectErrorStream(true)
                    .start();
            // waited for before it is read: its few words fit into the pipe, and one that hangs says none
            if (!stat.waitFor(3, TimeUnit.SECONDS) || stat.exitValue() != 0) {
                stat.destroyForcibly();
                return Optional.empty();
            }
            String answer;
            try (var out = stat.getInputStream()) {
                answer = new String(out.readNBytes(256), StandardCharsets.UTF_8).strip();
            }
            String[] counts = answer.split(" ");
            Inodes inodes = new Inodes(Long.parseLong(counts[0]), Long.parseLong(counts[1]));
            return inodes.total() > 0 ? Optional.of(inodes) : Optional.empty();
        } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return Optional.empty();
        }
    }
}

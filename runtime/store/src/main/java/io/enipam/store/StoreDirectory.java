package io.enipam.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the files of a database are called. The number in a name is a generation: of a journal file the one before its
 * first frame, of a checkpoint the last one in it.
 */
record StoreDirectory(Path path) {
    private static final Pattern SEGMENT = Pattern.compile("journal-(\\d{19})\\.log");
    private static final Pattern CHECKPOINT = Pattern.compile("checkpoint-(\\d{19})\\.db");
    private static final String UNFINISHED = ".tmp";

    /** Makes the directory, for its owner alone, if it is not there. */
    void create() throws IOException {
        Path parent = path.toAbsolutePath().getParent();
        if (!Files.isDirectory(path)) {
            Files.createDirectories(parent == null ? path : parent);
            Files.createDirectory(path, OwnerOnly.directory(path));
        }
    }

    Path lock() {
        return path.resolve("lock");
    }

    Path segment(long base) {
        return path.resolve("journal-%019d.log".formatted(base));
    }

    Path checkpoint(long generation) {
        return path.resolve("checkpoint-%019d.db".formatted(generation));
    }

    /** The name a file has until it is complete. */
    static Path unfinished(Path file) {
        return file.resolveSibling(file.getFileName() + UNFINISHED);
    }

    /** The name of a file that was found damaged and is not used any more. */
    static Path damaged(Path file) {
        return file.resolveSibling(file.getFileName() + ".damaged");
    }

    /** Beside it: a database that is being rebuilt to take its place. */
    Path rebuilding() {
        return path.resolveSibling(path.getFileName() + ".rebuilding");
    }

    /** Beside it: one that is rebuilt completely and has not taken its place yet. */
    Path rebuilt() {
        return path.resolveSibling(path.getFileName() + ".rebuilt");
    }

    /** Beside it: where a damaged one is kept. */
    Path aside(String when) {
        return path.resolveSibling(path.getFileName() + ".damaged-" + when);
    }

    /** What a directory holds. */
    Listing list(Disk disk) throws IOException {
        List<String> names = disk.list(path);
        return new Listing(
                numbers(names, SEGMENT),
                numbers(names, CHECKPOINT),
                names.stream()
                        .filter(name -> name.endsWith(UNFINISHED))
                        .map(path::resolve)
                        .toList());
    }

    private static List<Long> numbers(List<String> names, Pattern pattern) {
        return names.stream()
                .map(pattern::matcher)
                .filter(Matcher::matches)
                .map(name -> Long.valueOf(name.group(1)))
                .sorted()
                .toList();
    }

    /**
     * The files of a database.
     *
     * @param segments bases of the journal files, ascending
     * @param checkpoints generations of the checkpoints, ascending
     * @param unfinished files a crash left incomplete
     */
    record Listing(List<Long> segments, List<Long> checkpoints, List<Path> unfinished) {
        boolean empty() {
            return segments.isEmpty() && checkpoints.isEmpty();
        }

        /** The older of the two newest checkpoints: what recovery falls back to; 0, the empty database, without one. */
        long fallback() {
            return checkpoints.size() < 2 ? 0 : checkpoints.get(checkpoints.size() - 2);
        }

        Optional<Long> newestCheckpoint() {
            return checkpoints.isEmpty() ? Optional.empty() : Optional.of(checkpoints.get(checkpoints.size() - 1));
        }
    }
}

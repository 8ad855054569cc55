package io.enipam.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The databases that restores have put aside, beside the one in use: {@code D.before-restore-TIMESTAMP}, and {@code -2} and
 * so on behind it. Their names are in the order in which they were put aside, even if the clock went back meanwhile.
 */
final class PreRestoreDirectories {
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    private final Path directory;
    private final Pattern names;

    /** @param directory of the database in use */
    PreRestoreDirectories(Path directory) {
        this.directory = directory.toAbsolutePath();
        this.names = Pattern.compile(
                Pattern.quote(directory.getFileName() + ".before-restore-") + "(\\d{8}T\\d{6}Z)(?:-(\\d{1,9}))?");
    }

    private record Kept(Path path, String stamp, int number) {}

    /** The one that was put aside last. */
    Optional<Path> newest() throws IOException {
        return newestKept().map(Kept::path);
    }

    /** A name for the next one. */
    Path next(Instant now) throws IOException {
        String stamp = STAMP.format(now);
        Optional<Kept> taken = newestKept().filter(kept -> kept.stamp().compareTo(stamp) >= 0);
        return directory.resolveSibling(directory.getFileName() + ".before-restore-"
                + taken.map(kept -> kept.stamp() + "-" + (kept.number() + 1)).orElse(stamp));
    }

    private Optional<Kept> newestKept() throws IOException {
        Path parent = Optional.ofNullable(directory.getParent()).orElseThrow();
        if (!Files.isDirectory(parent)) {
            return Optional.empty();
        }
        try (Stream<Path> siblings = Files.list(parent)) {
            return siblings.flatMap(path -> kept(path).stream())
                    .max(Comparator.comparing(Kept::stamp).thenComparing(Kept::number));
        }
    }

    private Optional<Kept> kept(Path path) {
        Matcher name = names.matcher(path.getFileName().toString());
        return name.matches() && Files.isDirectory(path)
                ? Optional.of(new Kept(
                        path,
                        name.group(1),
                        Optional.ofNullable(name.group(2)).map(Integer::valueOf).orElse(1)))
                : Optional.empty();
    }

    /**
     * @throws StoreException if there is no database, but one that a restore put aside: it may be the only copy, and an empty
     *     one must not come before an operator has decided that
     */
    static void refuseToBeginBeside(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            Optional<Path> kept = new PreRestoreDirectories(directory).newest();
            if (kept.isPresent()) {
                throw new StoreException(
                        directory + " is missing, and " + kept.get() + ", which a restore put aside, is there",
                        "to go on with that one, rename it to " + directory + "; to begin anew, move every "
                                + directory.getFileName() + ".before-restore-* elsewhere");
            }
        }
    }
}

package io.enipam.acceptance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Where the checkout under test is. */
public final class Project {
    private Project() {}

    /** The project's root: the directory above this module that holds {@code mvnw}. */
    public static Path root() {
        Path at = Path.of("").toAbsolutePath();
        while (at != null && !Files.exists(at.resolve("mvnw"))) {
            at = at.getParent();
        }
        if (at == null) {
            throw new IllegalStateException(
                    "no project root above " + Path.of("").toAbsolutePath());
        }
        return at;
    }

    /** Copies the files of a directory into a new one. */
    static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName().toString()));
            }
        }
    }
}

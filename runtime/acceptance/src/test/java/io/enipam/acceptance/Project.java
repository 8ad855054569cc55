package io.enipam.acceptance;

import java.nio.file.Files;
import java.nio.file.Path;

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
}

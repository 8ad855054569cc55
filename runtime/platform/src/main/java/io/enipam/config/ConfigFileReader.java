package io.enipam.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Reads one file, collecting problems. */
final class ConfigFileReader {
    private final ConfigFile file;
    private final List<ConfigProblem> problems;

    ConfigFileReader(ConfigFile file, List<ConfigProblem> problems) {
        this.file = file;
        this.problems = problems;
    }

    /** What it says; empty if there is none, it says nothing, or it is wrong. */
    Optional<JsonNode> read() {
        return bytes().flatMap(bytes -> ConfigParser.parse(file.kind(), bytes, this::problem));
    }

    private static boolean belowAFile(Path path) {
        for (Path above = path.getParent(); above != null; above = above.getParent()) {
            if (Files.exists(above)) {
                return !Files.isDirectory(above);
            }
        }
        return false;
    }

    private Optional<byte[]> bytes() {
        try {
            if (!file.required() && belowAFile(file.path())) {
                return Optional.empty(); // whoever needs that directory says better what is wrong with it
            }
            if (Files.isDirectory(file.path())) {
                problem("is a directory, not a file");
                return Optional.empty();
            }
            try (var in = Files.newInputStream(file.path())) {
                return Optional.of(in.readNBytes(ConfigParser.LONGEST + 1));
            }
        } catch (NoSuchFileException e) {
            if (file.required()) {
                problem("there is no such file");
            }
        } catch (IOException e) {
            problem("cannot be read: " + IoReason.of(e));
        }
        return Optional.empty();
    }

    private void problem(String message) {
        problems.add(new ConfigProblem(file.path().toString(), message));
    }
}

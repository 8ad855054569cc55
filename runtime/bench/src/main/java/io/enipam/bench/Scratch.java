package io.enipam.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory of one benchmark, which goes with all that is in it. */
public record Scratch(Path path) implements AutoCloseable {
    /** In the directory that the first argument of the program names, or else in the system's for such. */
    public static Scratch of(String[] args) throws IOException {
        Path parent = Path.of(args.length > 0 ? args[0] : System.getProperty("java.io.tmpdir"));
        return new Scratch(Files.createTempDirectory(Files.createDirectories(parent), "enipam-bench"));
    }

    /** A number among the arguments of the program. */
    public static int number(String[] args, int index, int otherwise) {
        return args.length > index ? Integer.parseInt(args[index]) : otherwise;
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}

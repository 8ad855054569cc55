package io.enipam.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Copies and listings of database directories. */
final class Directories {
    private Directories() {}

    /**
     * What a killed process leaves: every file as it is now, and no lock held. A process that lives may finish a checkpoint
     * meanwhile, and remove what it replaces: then all is copied once more, since a kill leaves one moment.
     */
    static Path copy(Path from, Path to) {
        try {
            Files.createDirectories(to);
            while (!isCopied(from, to)) {
                for (Path file : files(to, "")) {
                    Files.delete(file);
                }
            }
            return to;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isCopied(Path from, Path to) throws IOException {
        List<Path> files = files(from, "");
        try {
            for (Path file : files) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        } catch (NoSuchFileException e) {
            return false;
        }
        return files(from, "").equals(files);
    }

    static List<Path> files(Path directory, String prefix) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Path last(Path directory, String prefix) {
        List<Path> files = files(directory, prefix);
        return files.get(files.size() - 1);
    }

    static void flip(Path file, long bit) {
        try {
            byte[] bytes = Files.readAllBytes(file);
            bytes[(int) (bit / 8)] ^= (byte) (1 << bit % 8);
            Files.write(file, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

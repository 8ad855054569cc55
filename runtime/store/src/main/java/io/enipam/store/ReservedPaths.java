package io.enipam.store;

import io.enipam.store.tools.DatabaseFileException;
import io.enipam.store.tools.DatabaseFileException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a database and what is kept beside it are. No file is written there in answer to somebody, nor read: to open and to
 * close a file that is locked drops the lock of the whole process. Paths are compared as the kernel resolves them, for a
 * symbolic link has many names for one place.
 */
final class ReservedPaths {
    private final Path directory;

    ReservedPaths(Path directory) {
        this.directory = directory.toAbsolutePath().normalize();
    }

    /** @throws DatabaseFileException if a file would be written among the database's own */
    void refuseToWrite(Path file) {
        Path target = file.normalize();
        place(target.getParent()).ifPresent(place -> {
            throw new DatabaseFileException(
                    Reason.REFUSED,
                    "cannot write " + file + ": " + named(place),
                    "name a file elsewhere, best on another disk");
        });
    }

    /** @throws DatabaseFileException if a file is one of the database's own */
    void refuseToRead(Path file, String shown) {
        place(file).ifPresent(place -> {
            throw new DatabaseFileException(
                    Reason.REFUSED,
                    shown + " cannot be taken: " + named(place),
                    "name a file that 'db backup' or 'db export' wrote");
        });
    }

    private String named(Path place) {
        return place.equals(directory)
                ? "it is in the directory of the database itself"
                : "it is in " + place + ", which is kept for the database";
    }

    /** Which of the places something is in; empty, too, if it is not there: whoever opens it says so. */
    private Optional<Path> place(Path path) {
        try {
            Path real = path.toRealPath();
            if (Files.exists(directory) && real.startsWith(directory.toRealPath())) {
                return Optional.of(directory);
            }
            Path parent = Optional.ofNullable(directory.getParent()).orElseThrow();
            Path realParent = parent.toRealPath();
            if (!real.startsWith(realParent) || real.equals(realParent)) {
                return Optional.empty();
            }
            Path first = realParent.resolve(real.getName(realParent.getNameCount()));
            return Files.isDirectory(first) && isKept(first.getFileName().toString())
                    ? Optional.of(parent.resolve(first.getFileName()))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private boolean isKept(String name) {
        String own = directory.getFileName().toString();
        return name.startsWith(own + ".staged")
                || name.startsWith(own + ".before-restore-")
                || name.startsWith(own + ".damaged-")
                || name.equals(own + ".rebuilt")
                || name.equals(own + ".rebuilding");
    }
}

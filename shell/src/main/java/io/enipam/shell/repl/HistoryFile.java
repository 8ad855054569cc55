package io.enipam.shell.repl;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/** The file that keeps what was typed: for its owner alone, since a command line may name what others need not know. */
final class HistoryFile {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private HistoryFile() {}

    /** The file, there and with mode 0600; empty if that cannot be had, and then the history is kept in memory. */
    static Optional<Path> prepared(Path file) {
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        } catch (FileAlreadyExistsException there) {
            return restricted(file);
        } catch (IOException readOnlyHome) {
            return Optional.empty();
        }
        return Optional.of(file);
    }

    private static Optional<Path> restricted(Path file) {
        try {
            Files.setPosixFilePermissions(file, OWNER_ONLY);
            return Files.isWritable(file) && Files.isRegularFile(file) ? Optional.of(file) : Optional.empty();
        } catch (IOException notOurs) {
            return Optional.empty();
        }
    }
}

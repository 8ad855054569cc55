package io.enipam.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** File modes for the owner alone, where the file system has modes: who may read leases may learn every pod's address. */
final class OwnerOnlyPermissions {
    private static final FileAttribute<?>[] NONE = {};
    private static final Set<PosixFilePermission> OWNERS = PosixFilePermissions.fromString("rwx------");

    private OwnerOnlyPermissions() {}

    /** Mode 0600. */
    static FileAttribute<?>[] file(Path file) {
        return mode(file, "rw-------");
    }

    /** Mode 0700. */
    static FileAttribute<?>[] directory(Path directory) {
        return mode(directory, "rwx------");
    }

    /** Takes all rights from others than the owner, if a file has given them. */
    static void restrict(Path file) throws IOException {
        if (!isPosix(file)) {
            return;
        }
        Set<PosixFilePermission> rights = Files.getPosixFilePermissions(file);
        if (rights.retainAll(OWNERS)) {
            Files.setPosixFilePermissions(file, rights);
        }
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    private static FileAttribute<?>[] mode(Path path, String mode) {
        return isPosix(path)
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))}
                : NONE;
    }
}

package io.enipam.store;

import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** File modes for the owner alone, where the file system has modes: who may read leases may learn every pod's address. */
final class OwnerOnly {
    private static final FileAttribute<?>[] NONE = {};

    private OwnerOnly() {}

    /** Mode 0600. */
    static FileAttribute<?>[] file(Path file) {
        return mode(file, "rw-------");
    }

    /** Mode 0700. */
    static FileAttribute<?>[] directory(Path directory) {
        return mode(directory, "rwx------");
    }

    private static FileAttribute<?>[] mode(Path path, String mode) {
        boolean posix = path.getFileSystem().supportedFileAttributeViews().contains("posix");
        return posix
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))}
                : NONE;
    }
}

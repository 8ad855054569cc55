package io.enipam.kubernetes.api;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** What tells one file from the next under a name: the kubelet swaps a symbolic link, others write in place. */
record FileVersion(String key, long modified, long size) {
    static FileVersion of(Path file) throws IOException {
        BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
        return new FileVersion(
                String.valueOf(now.fileKey()), now.lastModifiedTime().toMillis(), now.size());
    }
}

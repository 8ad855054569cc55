package io.enipam.store.tools;

import java.nio.file.Path;

/**
 * A backup that was written.
 *
 * @param records in all buckets
 * @param bytes length of the file
 * @param sha256 of all lines but the last, in hexadecimal; it stands in the last line, too
 * @param replaced whether there was a file of that name before
 */
public record Backup(Path file, FileHeader header, long records, long bytes, String sha256, boolean replaced) {}

package io.enipam.store.tools;

/**
 * What a compaction did.
 *
 * @param generation the last commit in the newest checkpoint
 * @param records in that checkpoint
 * @param before the database's files before
 * @param after the database's files after
 */
public record Compaction(long generation, long records, Size before, Size after) {
    /** How many files, and how many bytes they take together. */
    public record Size(int files, long bytes) {}
}

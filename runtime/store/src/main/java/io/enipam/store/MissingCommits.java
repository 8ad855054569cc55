package io.enipam.store;

/**
 * Commits that were made and cannot be read.
 *
 * @param from the first one that is missing
 * @param to the last one that is missing
 */
public record MissingCommits(long from, long to) {}

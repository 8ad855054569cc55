package io.enipam.store.history;

import java.time.Duration;

/**
 * How much of a history is kept.
 *
 * @param age a record that ended longer ago is forgotten
 * @param bytes the full files together are at most so large
 */
public record HistoryLimits(Duration age, long bytes) {}

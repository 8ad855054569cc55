package io.enipam.shell.core;

import java.time.Instant;

/**
 * A command that was typed earlier.
 *
 * @param number counted from one, the oldest first
 * @param line what was typed; several lines if it was that
 */
public record HistoryEntry(int number, Instant time, String line) {}

package io.enipam.shell.command;

import java.time.Instant;

/**
 * A command that was typed earlier.
 *
 * @param number counted from one, the oldest first
 * @param line what was typed; several lines if it was that
 */
public record Past(int number, Instant time, String line) {}

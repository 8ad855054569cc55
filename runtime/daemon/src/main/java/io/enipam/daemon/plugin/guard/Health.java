package io.enipam.daemon.plugin.guard;

import java.time.Instant;

/**
 * Whether a plugin can be called.
 *
 * @param cause why not, one line; empty if it can
 * @param since when that began
 */
public record Health(boolean healthy, String cause, Instant since) {}

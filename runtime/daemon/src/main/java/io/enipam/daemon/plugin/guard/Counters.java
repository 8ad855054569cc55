package io.enipam.daemon.plugin.guard;

/**
 * How a plugin's calls went since it was loaded.
 *
 * @param made calls begun
 * @param failed calls that threw
 * @param rejected calls that answered {@code null} or nonsense
 * @param late calls that gave no answer in time
 * @param skipped calls not made, since the plugin is down or too many were under way
 * @param overdue calls under way beyond their deadline now
 * @param breaker {@code CLOSED}, {@code OPEN} or {@code HALF_OPEN}; of several the worst
 */
public record Counters(long made, long failed, long rejected, long late, long skipped, int overdue, String breaker) {}

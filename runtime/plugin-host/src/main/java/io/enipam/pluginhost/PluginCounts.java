package io.enipam.pluginhost;

/**
 * How the daemon fared with a plugin since it was loaded.
 *
 * @param made calls made
 * @param failed calls that threw
 * @param rejected answers that were thrown away
 * @param late calls that gave no answer in time
 * @param skipped calls that were not made, since the breaker was open or too many were under way
 * @param overdue calls under way beyond their deadline now
 * @param breaker {@code CLOSED}, {@code OPEN} or {@code HALF_OPEN}
 * @param leakedThreads threads that outlived what started them
 * @param exitsStopped how often it tried to end the JVM
 */
public record PluginCounts(
        long made,
        long failed,
        long rejected,
        long late,
        long skipped,
        int overdue,
        String breaker,
        int leakedThreads,
        long exitsStopped) {
    /** Of a plugin that was never called. */
    public static final PluginCounts NONE = new PluginCounts(0, 0, 0, 0, 0, 0, "CLOSED", 0, 0);
}

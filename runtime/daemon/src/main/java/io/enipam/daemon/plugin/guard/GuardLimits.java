package io.enipam.daemon.plugin.guard;

import java.time.Duration;

/**
 * What a plugin is allowed.
 *
 * @param policyCall how long a policy may take for an answer
 * @param factoryCall how long a factory may take to take on a create or a dispose, not to do it
 * @param list how long a factory may take to list
 * @param close how long a factory may take to close
 * @param concurrent how many calls may be under way at once, and how many threads the plugin gets
 * @param failures how many of the last calls must fail for the breaker to open
 * @param of how many of the last calls count
 * @param pause how long the breaker stays open before one call tries again
 */
public record GuardLimits(
        Duration policyCall,
        Duration factoryCall,
        Duration list,
        Duration close,
        int concurrent,
        int failures,
        int of,
        Duration pause) {
    /** What the daemon grants. */
    public static GuardLimits usual() {
        return new GuardLimits(
                Duration.ofMillis(50),
                Duration.ofSeconds(2),
                Duration.ofSeconds(60),
                Duration.ofSeconds(5),
                8,
                5,
                10,
                Duration.ofSeconds(10));
    }
}

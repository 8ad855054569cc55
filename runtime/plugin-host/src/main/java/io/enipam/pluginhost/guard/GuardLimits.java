package io.enipam.pluginhost.guard;

import java.time.Duration;

/**
 * What a plugin may take and how often it may fail.
 *
 * @param policyDeadline within which a policy answers; above zero
 * @param factoryCall within which a factory's create and dispose return; above zero
 * @param factoryList within which a factory's list completes; above zero
 * @param factoryClose within which a factory closes; above zero
 * @param concurrent how many calls of one policy or one factory run at one time, 1 to 64
 * @param queued how many calls of one factory may wait for a thread, at least 1
 * @param breaker when the circuit breaker of one policy or one factory opens
 */
public record GuardLimits(
        Duration policyDeadline,
        Duration factoryCall,
        Duration factoryList,
        Duration factoryClose,
        int concurrent,
        int queued,
        BreakerRule breaker) {
    /**
     * @param failures how many of the last {@code window} calls must fail to open it; 1 or more
     * @param window at least {@code failures}
     * @param pause how long an open breaker lets nothing through; then it lets one call try; above zero
     */
    public record BreakerRule(int failures, int window, Duration pause) {
        public BreakerRule {
            positive("pause", pause);
            if (failures < 1 || window < failures) {
                throw new IllegalArgumentException(
                        "a breaker needs 1 <= failures <= window, got " + failures + " of " + window);
            }
        }
    }

    public static final GuardLimits DEFAULT = new GuardLimits(
            Duration.ofMillis(50),
            Duration.ofSeconds(2),
            Duration.ofSeconds(60),
            Duration.ofSeconds(5),
            8,
            64,
            new BreakerRule(5, 20, Duration.ofSeconds(10)));

    public GuardLimits {
        positive("policyDeadline", policyDeadline);
        positive("factoryCall", factoryCall);
        positive("factoryList", factoryList);
        positive("factoryClose", factoryClose);
        if (concurrent < 1 || concurrent > 64 || queued < 1) {
            throw new IllegalArgumentException(
                    "a guard needs concurrent 1..64 and queued >= 1, got " + concurrent + ", " + queued);
        }
    }

    private static void positive(String name, Duration duration) {
        if (duration.isZero() || duration.isNegative()) {
            throw new IllegalArgumentException(name + " must be above zero, got " + duration);
        }
    }
}

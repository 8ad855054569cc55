package io.enipam.engine;

import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.sdk.Family;
import java.time.Duration;
import java.util.Set;

/**
 * The engine's settings, sealed.
 *
 * @param watermarks how many addresses the pool keeps; a capacity of at least 1
 * @param coolDown how long a released address is allocated to no pod, zero to one hour
 * @param createTimeout how long the factory may take for one resource, at least one second
 * @param reclaim when addresses that are idle for long are released
 */
public record EngineConfig(
        Watermarks watermarks,
        Set<Family> families,
        Duration coolDown,
        Duration createTimeout,
        Intervals intervals,
        IdleReclaim reclaim) {
    public EngineConfig {
        families = Set.copyOf(families);
    }

    /** The watermarks alone decide how many are idle. */
    public EngineConfig(
            Watermarks watermarks,
            Set<Family> families,
            Duration coolDown,
            Duration createTimeout,
            Intervals intervals) {
        this(watermarks, families, coolDown, createTimeout, intervals, IdleReclaim.none());
    }

    /** Terway's defaults, with the cool-down AWS settled on: 0 to 5 idle, GC every 5 min, pool check and reconcile every 2 min, 30 s. */
    public static EngineConfig defaults() {
        return new EngineConfig(
                new Watermarks(0, 5, Integer.MAX_VALUE),
                Set.of(Family.IPV4),
                Duration.ofSeconds(30),
                Duration.ofSeconds(60),
                new Intervals(Duration.ofMinutes(5), Duration.ofMinutes(2), Duration.ofMinutes(2)));
    }

    /** The same with other watermarks and another cool-down. */
    public EngineConfig with(Watermarks otherWatermarks, Duration otherCoolDown) {
        return new EngineConfig(otherWatermarks, families, otherCoolDown, createTimeout, intervals, reclaim);
    }

    /**
     * Time between two runs of the periodic tasks, each at least one second.
     *
     * @param reconcile comparison of the pool with the cloud, give or take a tenth
     */
    public record Intervals(Duration gc, Duration poolCheck, Duration reconcile) {}

    /**
     * Terway's {@code idle_ip_reclaim_*}: a pool that has grown for a rush releases, little by little, what no pod has needed
     * in a long time, down to the lower watermark.
     *
     * @param after how long an address has to be idle; zero for no reclaim at all
     * @param interval time between two rounds, at least one second
     * @param batch the most addresses that a round releases, at least 1
     * @param jitter by what part an interval may be shorter or longer, 0 to 1
     */
    public record IdleReclaim(Duration after, Duration interval, int batch, double jitter) {
        public IdleReclaim {
            if (after.isNegative() || interval.compareTo(Duration.ofSeconds(1)) < 0 || batch < 1) {
                throw new IllegalArgumentException("needs after >= 0, interval >= 1s and batch >= 1, got " + after
                        + ", " + interval + ", " + batch);
            }
            if (!(jitter >= 0 && jitter <= 1)) {
                throw new IllegalArgumentException("needs a jitter of 0 to 1, got " + jitter);
            }
        }

        /** No reclaim: the watermarks alone decide. */
        public static IdleReclaim none() {
            return new IdleReclaim(Duration.ZERO, Duration.ofMinutes(10), 5, 0.1);
        }

        public boolean on() {
            return !after.isZero();
        }
    }
}

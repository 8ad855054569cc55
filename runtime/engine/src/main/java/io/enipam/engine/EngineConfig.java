package io.enipam.engine;

import io.enipam.sdk.Family;
import java.time.Duration;
import java.util.Set;

/**
 * The engine's knobs, sealed.
 *
 * @param minIdle lower watermark: create when fewer are idle, at least 0
 * @param maxIdle upper watermark: dispose when more are idle, at least {@code minIdle}
 * @param maxCapacity upper bound on the pool beside what the factory can do, at least 1
 * @param families the address families each pod gets
 * @param coolDown how long an address given back is lent to nobody, zero to one hour
 * @param gcInterval time between two garbage collections, at least one second
 * @param poolCheckInterval time between two looks at the watermarks, at least one second
 * @param reconcileInterval time between two comparisons of the pool with the cloud, give or take a tenth, at least one second
 * @param createTimeout how long the factory may take for one resource, at least one second
 * @param reclaim what becomes of addresses that are idle for long
 */
public record EngineConfig(
        int minIdle,
        int maxIdle,
        int maxCapacity,
        Set<Family> families,
        Duration coolDown,
        Duration gcInterval,
        Duration poolCheckInterval,
        Duration reconcileInterval,
        Duration createTimeout,
        IdleReclaim reclaim) {
    public EngineConfig {
        families = Set.copyOf(families);
    }

    /** The watermarks alone decide how many are idle. */
    public EngineConfig(
            int minIdle,
            int maxIdle,
            int maxCapacity,
            Set<Family> families,
            Duration coolDown,
            Duration gcInterval,
            Duration poolCheckInterval,
            Duration reconcileInterval,
            Duration createTimeout) {
        this(
                minIdle,
                maxIdle,
                maxCapacity,
                families,
                coolDown,
                gcInterval,
                poolCheckInterval,
                reconcileInterval,
                createTimeout,
                IdleReclaim.none());
    }

    /** The same, with addresses given back that are idle for long. */
    public EngineConfig reclaiming(IdleReclaim rule) {
        return new EngineConfig(
                minIdle,
                maxIdle,
                maxCapacity,
                families,
                coolDown,
                gcInterval,
                poolCheckInterval,
                reconcileInterval,
                createTimeout,
                rule);
    }

    /** Terway's defaults, with the cool-down AWS settled on: 0 to 5 idle, GC every 5 min, pool check and comparison every 2 min, 30 s. */
    public static EngineConfig defaults() {
        return new EngineConfig(
                0,
                5,
                Integer.MAX_VALUE,
                Set.of(Family.IPV4),
                Duration.ofSeconds(30),
                Duration.ofMinutes(5),
                Duration.ofMinutes(2),
                Duration.ofMinutes(2),
                Duration.ofSeconds(60));
    }
}

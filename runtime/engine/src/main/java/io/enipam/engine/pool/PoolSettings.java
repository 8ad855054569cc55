package io.enipam.engine.pool;

import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceKind;
import java.util.Set;

/**
 * What a pool is for and how much it keeps.
 *
 * @param factory the name of the factory that is active at first
 * @param kind what that one makes
 * @param minIdle lower watermark, at least 0
 * @param maxIdle upper watermark, at least {@code minIdle}
 * @param families what each resource it lends has: one with others, of another time's configuration, stays with whoever has it
 *     and then goes back
 */
public record PoolSettings(String factory, ResourceKind kind, int minIdle, int maxIdle, Set<Family> families) {
    public PoolSettings {
        if (minIdle < 0 || maxIdle < minIdle) {
            throw new IllegalArgumentException(
                    "watermarks need 0 <= minIdle <= maxIdle, got " + minIdle + " and " + maxIdle);
        }
        families = Set.copyOf(families);
    }

    /** A pool of IPv4 addresses. */
    public PoolSettings(String factory, ResourceKind kind, int minIdle, int maxIdle) {
        this(factory, kind, minIdle, maxIdle, Set.of(Family.IPV4));
    }

    /** The same with other watermarks. */
    PoolSettings between(int min, int max) {
        return new PoolSettings(factory, kind, min, max, families);
    }

    /** Whether a resource has the families that the pool lends. */
    boolean fits(Resource resource) {
        return resource.addresses().size() == families.size()
                && resource.addresses().stream().allMatch(address -> families.contains(address.family()));
    }
}

package io.enipam.engine.pool;

import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceKind;
import java.util.Set;

/**
 * What a pool is for and how much it keeps.
 *
 * @param factory the name of the factory that is active at first
 * @param families what each resource it lends has: one with others, of another time's configuration, stays with its owner
 *     and then goes back
 */
public record PoolSettings(String factory, ResourceKind kind, Watermarks keep, Set<Family> families) {
    public PoolSettings {
        if (keep.minIdle() < 0 || keep.maxIdle() < keep.minIdle()) {
            throw new IllegalArgumentException(
                    "watermarks need 0 <= minIdle <= maxIdle, got " + keep.minIdle() + " and " + keep.maxIdle());
        }
        families = Set.copyOf(families);
    }

    /** A pool of IPv4 addresses. */
    public PoolSettings(String factory, ResourceKind kind, int minIdle, int maxIdle) {
        this(factory, kind, new Watermarks(minIdle, maxIdle, Integer.MAX_VALUE), Set.of(Family.IPV4));
    }

    PoolSettings keeping(Watermarks other) {
        return new PoolSettings(factory, kind, other, families);
    }

    int minIdle() {
        return keep.minIdle();
    }

    int maxIdle() {
        return keep.maxIdle();
    }

    boolean fits(Resource resource) {
        return resource.addresses().size() == families.size()
                && resource.addresses().stream().allMatch(address -> families.contains(address.family()));
    }

    /**
     * @param minIdle lower watermark: create when fewer are idle, at least 0
     * @param maxIdle upper watermark: release when more are idle, at least {@code minIdle}
     * @param capacity upper bound on all resources together, beside what the factory can do
     */
    public record Watermarks(int minIdle, int maxIdle, int capacity) {}
}

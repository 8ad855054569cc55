package io.enipam.engine.pool;

import io.enipam.sdk.ResourceKind;

/**
 * What a pool is for and how much it keeps.
 *
 * @param factory the name of the factory that is active at first
 * @param kind what that one makes
 * @param minIdle lower watermark, at least 0
 * @param maxIdle upper watermark, at least {@code minIdle}
 */
public record PoolSettings(String factory, ResourceKind kind, int minIdle, int maxIdle) {
    public PoolSettings {
        if (minIdle < 0 || maxIdle < minIdle) {
            throw new IllegalArgumentException(
                    "watermarks need 0 <= minIdle <= maxIdle, got " + minIdle + " and " + maxIdle);
        }
    }

    /** The same with other watermarks. */
    PoolSettings between(int min, int max) {
        return new PoolSettings(factory, kind, min, max);
    }
}

package io.enipam.sdk;

import java.util.List;

/**
 * How many idle resources a pool shall keep now. The engine creates up to the lower bound and disposes down to the
 * upper one, within the pool's capacity and whatever waits.
 *
 * @param minIdle create when fewer are idle or being created
 * @param maxIdle dispose when more are idle; not below {@code minIdle}
 * @param shedFirst which idle ones go first when some must; those not named follow, longest idle first
 */
public record Target(int minIdle, int maxIdle, List<ResourceId> shedFirst) {
    public Target {
        shedFirst = List.copyOf(shedFirst);
        if (minIdle < 0 || maxIdle < minIdle) {
            throw new IllegalArgumentException(
                    "a target needs 0 <= minIdle <= maxIdle, got " + minIdle + ".." + maxIdle);
        }
    }

    public static Target between(int minIdle, int maxIdle) {
        return new Target(minIdle, maxIdle, List.of());
    }
}

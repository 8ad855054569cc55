package io.enipam.sdk;

import java.time.Duration;

/**
 * Decides which resource to lend, how many to keep, and what happens to one given back.
 *
 * <p><b>Pure.</b> An answer depends on the arguments alone: no clock, no random source, no I/O, no state between calls.
 * The engine may call from several threads at once, more than once for one event, and throw answers away.
 *
 * <p><b>Checked.</b> The engine validates each answer. One that is {@code null}, names a resource that is not idle in the
 * snapshot, is out of bounds, throws, or takes too long is counted, and the built-in {@code watermark} policy answers
 * instead.
 *
 * <p>Each method defaults to what the {@code watermark} policy does, so a policy overrides only what it is about:
 *
 * <pre>{@code
 * final class KeepOneInTen implements PoolPolicy {
 *     public String name() { return "one-in-ten"; }
 *     public Target target(PoolSnapshot pool) {
 *         int warm = Math.max(1, pool.count(ResourceState.IN_USE) / 10);
 *         return Target.between(warm, warm + 2);
 *     }
 * }
 * }</pre>
 */
public interface PoolPolicy {
    /** The name by which configuration and the shell know it: {@code [a-z][a-z0-9-]*}, constant. */
    String name();

    /** Which idle resource a pod gets. Asked only when at least one is idle. */
    default Pick pick(PoolSnapshot pool, PodRef pod) {
        return Pick.longestIdle();
    }

    /** How many idle resources to keep. Asked after every change, and on a timer. */
    default Target target(PoolSnapshot pool) {
        return Target.between(pool.minIdle(), pool.maxIdle());
    }

    /**
     * How long a resource given back is lent to nobody.
     *
     * @param configured the cool-down of the configuration
     * @return zero to one hour
     */
    default Duration release(PoolSnapshot pool, Resource released, Duration configured) {
        return configured;
    }

    /**
     * How long a resource given back is kept for the pod that had it.
     *
     * @param wished what the pod asks for (five minutes for a StatefulSet's pod, zero for others)
     * @return zero to one day; zero keeps nothing
     */
    default Duration stick(PoolSnapshot pool, Resource released, PodRef pod, Duration wished) {
        return wished;
    }
}

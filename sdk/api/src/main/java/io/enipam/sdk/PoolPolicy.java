package io.enipam.sdk;

import java.time.Duration;

/**
 * Decides which resource to lend, how many to keep, and what happens to one given back.
 *
 * <p><b>Pure.</b> An answer depends on the arguments alone: no clock, no random source, no I/O, no state between calls.
 * The engine may call from several threads at once, more than once for one event, and throw answers away.
 *
 * <p><b>Checked.</b> The engine validates each answer. One that is {@code null}, names a resource that is not idle in
 * the snapshot, is out of bounds, throws, or takes longer than 50 ms is counted, and the built-in {@code watermark}
 * policy answers instead, at once: no caller waits for a policy that hangs. Five bad answers of the last twenty, or one
 * that is late, and the policy is not asked for 10 s, or until the late call has come back; {@code plugin info} shows it.
 * Answers about 1,000 resources should take well below a millisecond, since a pod waits for some of them.
 *
 * <p><b>Order.</b> There is none to rely on: {@code target} may be asked before or after any {@code pick} or
 * {@code release}, about an older or a newer snapshot. What a policy wants to learn from, it finds in
 * {@link PoolSnapshot#activity()}.
 *
 * <p><b>Bounds.</b> What waits and what the capacity allows is the engine's business: it creates for waiting callers
 * beside the target, never beyond the capacity, and sheds nothing while a caller waits. What is reserved or cooling is
 * not lent, whatever is picked; but a policy that keeps too much in these states lets pods wait.
 *
 * <p><b>Damped.</b> A target is followed at once, but for one that falls within half a minute after it rose: then idle
 * resources go back only down to the highest {@code maxIdle} of the last half minute, so that a target that goes up and down
 * does not create and dispose in turn. What a target asks for beyond the capacity counts as the capacity. {@code doctor} names a policy whose target turns round again and again while no
 * pod comes or goes, and one that asks for more than there can be.
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

    /**
     * Which idle resource a pod gets, or {@link Pick#refuse that it gets none}. Asked for each ADD that needs a resource,
     * also when none is idle; {@link Pick#longestIdle()} then lets the pod wait for one. A policy that looks at more than
     * the pod's name overrides this one, and the other is not asked.
     *
     * <p><b>For quotas.</b> A snapshot has the pods that have a resource, by {@link ResourceView#owner()}, and those that
     * wait for one, by {@link PoolSnapshot#waiters()}. An answer that lets a pod in counts only if no other pod was let in
     * since the snapshot; else the question is put again, about a newer one. So a number that is counted over both is never
     * exceeded by ADDs that come together. The pod itself may be among the owners, since a runtime may set a sandbox up anew
     * before it ends the former one. Where an answer is invalid or late, the pod is not refused.
     */
    default Pick pick(PoolSnapshot pool, PodView pod) {
        return pool.count(ResourceState.IDLE) == 0 ? Pick.longestIdle() : pick(pool, pod.ref());
    }

    /**
     * How many idle resources to keep. Asked after every change, and on a timer. It must come to rest: with nothing
     * lent and nothing given back, repeated answers must not create and dispose for ever.
     */
    default Target target(PoolSnapshot pool) {
        return Target.between(pool.minIdle(), pool.maxIdle());
    }

    /**
     * How long a resource given back is allocated to no pod.
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

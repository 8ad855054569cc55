package io.enipam.engine.policy;

import io.enipam.engine.port.EventSink;
import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.ResourceView;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Asks a policy and checks each answer; where the answer is nonsense or missing, the {@link WatermarkPolicy} answers.
 * Thread-safe. Never called under a lock.
 */
public final class PolicyGuard {
    private static final Duration MAX_COOL_DOWN = Duration.ofHours(1);
    private static final Duration MAX_STICK = Duration.ofDays(1);

    private final PoolPolicy policy;
    private final String name;
    private final EventSink events;
    private final AtomicLong rejected = new AtomicLong();

    public PolicyGuard(PoolPolicy policy, EventSink events) {
        this.policy = policy;
        this.name = policy.name();
        this.events = events;
    }

    /** Whether the policy is the built-in one, whose answers need no snapshot. */
    public boolean builtIn() {
        return policy instanceof WatermarkPolicy;
    }

    /** The policy's name, asked once: who reads it later may hold the pool's lock. */
    public String name() {
        return name;
    }

    /** How many answers were thrown away so far. */
    public long rejected() {
        return rejected.get();
    }

    public Pick pick(PoolSnapshot pool, PodRef pod) {
        return ask(
                "pick",
                Pick.longestIdle(),
                () -> policy.pick(pool, pod),
                pick -> !(pick instanceof Pick.Chosen chosen) || idle(pool).contains(chosen.id()));
    }

    public Target target(PoolSnapshot pool) {
        Target watermarks = Target.between(pool.minIdle(), pool.maxIdle());
        return ask(
                "target",
                watermarks,
                () -> policy.target(pool),
                target -> idle(pool).containsAll(target.shedFirst()));
    }

    public Duration coolDown(PoolSnapshot pool, Resource released, Duration configured) {
        return ask(
                "release", configured, () -> policy.release(pool, released, configured), d -> within(d, MAX_COOL_DOWN));
    }

    public Duration stick(PoolSnapshot pool, Resource released, PodRef pod, Duration wished) {
        return ask("stick", wished, () -> policy.stick(pool, released, pod, wished), d -> within(d, MAX_STICK));
    }

    private <T> T ask(String question, T fallback, Supplier<T> call, Predicate<T> valid) {
        try {
            T answer = call.get();
            if (answer != null && valid.test(answer)) {
                return answer;
            }
            reject(question, "answered " + answer + ", which is outside what is allowed");
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            reject(question, "threw " + e);
        }
        return fallback;
    }

    private void reject(String question, String why) {
        rejected.incrementAndGet();
        events.warning(
                "PolicyRejected",
                name,
                "policy " + name + " " + why + " to '" + question + "'; " + WatermarkPolicy.NAME + " answered instead");
    }

    private static Set<ResourceId> idle(PoolSnapshot pool) {
        Set<ResourceId> ids = new HashSet<>();
        for (ResourceView view : pool.resources()) {
            if (view.state() == ResourceState.IDLE) {
                ids.add(view.resource().id());
            }
        }
        return ids;
    }

    private static boolean within(Duration duration, Duration most) {
        return !duration.isNegative() && duration.compareTo(most) <= 0;
    }
}

package io.enipam.engine.policy;

import io.enipam.engine.port.PolicyPort;
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
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Asks a policy and checks each answer; where the answer is nonsense or missing, the {@link WatermarkPolicy} answers.
 * Thread-safe. Never called under a lock.
 */
public final class PolicyGuard {
    private static final Duration MAX_COOL_DOWN = Duration.ofHours(1);
    private static final Duration MAX_STICK = Duration.ofDays(1);

    private final PolicyPort policy;

    public PolicyGuard(PolicyPort policy) {
        this.policy = policy;
    }

    /** Whether the engine goes by its own rules, which need no snapshot. */
    public boolean builtIn() {
        return policy.watermarks();
    }

    /** The policy's name; safe under the pool's lock. */
    public String name() {
        return policy.name();
    }

    public Pick pick(PoolSnapshot pool, PodRef pod) {
        return ask(
                "pick",
                Pick.longestIdle(),
                asked -> asked.pick(pool, pod),
                pick -> !(pick instanceof Pick.Chosen chosen) || idle(pool).contains(chosen.id()));
    }

    public Target target(PoolSnapshot pool) {
        Target watermarks = Target.between(pool.minIdle(), pool.maxIdle());
        return ask(
                "target",
                watermarks,
                asked -> asked.target(pool),
                target -> idle(pool).containsAll(target.shedFirst()));
    }

    public Duration coolDown(PoolSnapshot pool, Resource released, Duration configured) {
        return ask(
                "release",
                configured,
                asked -> asked.release(pool, released, configured),
                d -> within(d, MAX_COOL_DOWN));
    }

    public Duration stick(PoolSnapshot pool, Resource released, PodRef pod, Duration wished) {
        return ask("stick", wished, asked -> asked.stick(pool, released, pod, wished), d -> within(d, MAX_STICK));
    }

    private <T> T ask(String question, T fallback, Function<PoolPolicy, T> call, Predicate<T> valid) {
        AtomicReference<Optional<T>> answer = new AtomicReference<>(Optional.empty());
        policy.ask(question, call, valid, answer::set);
        return answer.get().orElse(fallback);
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

package io.enipam.engine.policy;

import io.enipam.engine.port.PolicyPort;
import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PodView;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Asks the policy in force and checks each answer; where there is no valid one in time, the {@link WatermarkPolicy}'s
 * rules answer. Thread-safe. Never asked under a lock.
 *
 * <p>Each question goes on in a continuation, which is called exactly once: as a rule before the method returns, but
 * later and on another thread if the policy is late. No caller waits for a policy.
 */
public final class PolicyGuard {
    private static final Duration MAX_COOL_DOWN = Duration.ofHours(1);
    private static final Duration MAX_STICK = Duration.ofDays(1);

    private volatile PolicyPort policy;

    public PolicyGuard(PolicyPort policy) {
        this.policy = policy;
    }

    /** Questions go to this policy from now on. A pending answer of the former one still counts. */
    public void use(PolicyPort next) {
        policy = next;
    }

    public boolean builtIn() {
        return policy.watermarks();
    }

    /** The policy's name. Safe under the pool's lock. */
    public String name() {
        return policy.name();
    }

    public void pick(PoolSnapshot pool, PodView pod, Consumer<Pick> then) {
        Predicate<Pick> valid = pick -> !(pick instanceof Pick.Chosen chosen) || isIdle(pool, chosen.id());
        ask("pick", Pick.longestIdle(), asked -> asked.pick(pool, pod), valid, then);
    }

    /**
     * A target, and whose.
     *
     * @param own whether the policy gave it; else it is the {@link WatermarkPolicy}'s in its place
     */
    public record TargetAnswer(Target target, boolean own) {}

    public void target(PoolSnapshot pool, Consumer<TargetAnswer> then) {
        Target fallback = Target.between(pool.minIdle(), pool.maxIdle());
        policy.ask(
                "target",
                asked -> asked.target(pool),
                target -> areIdle(pool, target.shedFirst()),
                answer -> then.accept(new TargetAnswer(answer.orElse(fallback), answer.isPresent())));
    }

    public void coolDown(PoolSnapshot pool, Resource released, Duration configured, Consumer<Duration> then) {
        Function<PoolPolicy, Duration> question = asked -> asked.release(pool, released, configured);
        ask("release", configured, question, answer -> within(answer, MAX_COOL_DOWN), then);
    }

    public void stick(PoolSnapshot pool, Resource released, PodRef pod, Duration wished, Consumer<Duration> then) {
        Predicate<Duration> valid = answer -> wished.equals(answer) || within(answer, MAX_STICK);
        ask("stick", wished, asked -> asked.stick(pool, released, pod, wished), valid, then);
    }

    private <T> void ask(
            String question, T fallback, Function<PoolPolicy, T> call, Predicate<T> valid, Consumer<T> then) {
        policy.ask(question, call, valid, answer -> then.accept(answer.orElse(fallback)));
    }

    /** The idle ones come first in a snapshot. */
    private static boolean isIdle(PoolSnapshot pool, ResourceId id) {
        return pool.resources().stream()
                .takeWhile(view -> view.state() == ResourceState.IDLE)
                .anyMatch(view -> view.resource().id().equals(id));
    }

    private static boolean areIdle(PoolSnapshot pool, List<ResourceId> ids) {
        Stream<ResourceId> idle =
                pool.in(ResourceState.IDLE).stream().map(view -> view.resource().id());
        return ids.isEmpty() || idle.collect(Collectors.toSet()).containsAll(ids);
    }

    private static boolean within(Duration duration, Duration most) {
        return !duration.isNegative() && duration.compareTo(most) <= 0;
    }
}

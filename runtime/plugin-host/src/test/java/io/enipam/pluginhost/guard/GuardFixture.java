package io.enipam.pluginhost.guard;

import io.enipam.engine.port.PolicyPort;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.pluginhost.guard.PluginGuard.PluginHealth;
import io.enipam.sdk.Activity;
import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A guard on the engine's real threads and clock, and what it said about its health. Its limits are such that only what hangs
 * for good is late and a breaker that opens stays open: a busy machine may hold up any thread for seconds. Tests of what is late
 * have {@link #hasty}.
 */
final class GuardFixture implements AutoCloseable {
    static final PodRef POD = new PodRef("default", "web-0");
    static final PoolSnapshot POOL =
            new PoolSnapshot(Instant.EPOCH, ResourceKind.ENI_IP, 100, 10, 20, 0, 0, Activity.NONE, List.of());
    static final GuardLimits LIMITS = limits(8);
    /** Of a policy that is to be late. */
    static final Duration DEADLINE = Duration.ofSeconds(1);

    static final GuardLimits HASTY = hasty(8);

    final ExecutorScheduler engine = new ExecutorScheduler();
    final List<PluginHealth> changes = new CopyOnWriteArrayList<>();
    final PluginGuard guard;

    GuardFixture() {
        this(LIMITS);
    }

    GuardFixture(GuardLimits limits) {
        this(limits, GuardFixture.class.getClassLoader());
    }

    GuardFixture(GuardLimits limits, ClassLoader loader) {
        guard = new PluginGuard("chaos", loader, limits, new SystemTime(), engine, engine, changes::add);
    }

    static GuardLimits limits(int concurrent) {
        return limits(Duration.ofMinutes(1), concurrent, Duration.ofHours(1));
    }

    /** Policies have {@link #DEADLINE}, factories three times as long, and a list six times. */
    static GuardLimits hasty(int concurrent) {
        return limits(DEADLINE, concurrent, Duration.ofHours(1));
    }

    /** The usual limits with a breaker that lets a call try after a moment. */
    static GuardLimits shortPause() {
        return limits(Duration.ofMinutes(1), 8, Duration.ofMillis(400));
    }

    /** Three failures of the last four open the breaker. */
    private static GuardLimits limits(Duration deadline, int concurrent, Duration pause) {
        return new GuardLimits(
                deadline,
                deadline.multipliedBy(3),
                deadline.multipliedBy(6),
                deadline.multipliedBy(3),
                concurrent,
                4,
                new GuardLimits.BreakerRule(3, 4, pause));
    }

    PolicyPort policy() {
        return guard.policy(() -> "chaos", "chaos");
    }

    /** Asks on one of the engine's threads, as an ADD does. */
    static CompletableFuture<Optional<Pick>> ask(
            ExecutorScheduler engine, PolicyPort port, Function<PoolPolicy, Pick> call) {
        return ask(engine, port, call, pick -> true);
    }

    static CompletableFuture<Optional<Pick>> ask(
            ExecutorScheduler engine, PolicyPort port, Function<PoolPolicy, Pick> call, Predicate<Pick> valid) {
        CompletableFuture<Optional<Pick>> answer = new CompletableFuture<>();
        engine.execute(() -> port.ask("pick", call, valid, outcome -> {
            if (!answer.complete(outcome)) {
                throw new AssertionError("told twice");
            }
        }));
        return answer;
    }

    CompletableFuture<Optional<Pick>> ask(PolicyPort port, Function<PoolPolicy, Pick> call) {
        return ask(engine, port, call);
    }

    static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    static Pick good(PoolPolicy policy) {
        return policy.pick(POOL, POD);
    }

    @Override
    public void close() {
        guard.close();
        engine.close();
    }
}

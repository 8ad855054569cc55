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

/** A guard on the engine's real threads and clock, with short limits, and what it said about its health. */
final class GuardFixture implements AutoCloseable {
    static final PodRef POD = new PodRef("default", "web-0");
    static final PoolSnapshot POOL =
            new PoolSnapshot(Instant.EPOCH, ResourceKind.ENI_IP, 100, 10, 20, 0, 0, Activity.NONE, List.of());
    static final Duration DEADLINE = Duration.ofMillis(100);
    static final Duration PAUSE = Duration.ofMillis(400);
    static final GuardLimits LIMITS = limits(8);

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

    /** Three failures of the last four open the breaker. */
    static GuardLimits limits(int concurrent) {
        return limits(DEADLINE, concurrent);
    }

    static GuardLimits limits(Duration policyDeadline, int concurrent) {
        return new GuardLimits(
                policyDeadline,
                Duration.ofMillis(300),
                Duration.ofMillis(600),
                Duration.ofMillis(300),
                concurrent,
                4,
                new GuardLimits.BreakerRule(3, 4, PAUSE));
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
        return future.get(20, TimeUnit.SECONDS);
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

package io.enipam.bench;

import io.enipam.engine.port.PolicyPort;
import io.enipam.platform.EngineThread;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.pluginhost.guard.GuardLimits;
import io.enipam.pluginhost.guard.PluginCallCounts;
import io.enipam.pluginhost.guard.PluginGuard;
import io.enipam.sdk.Activity;
import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * What the guard adds to the call of a policy: the same trivial question through the guard and, as the peer, straight to the
 * policy. The aim is a microsecond at most. On the engine's threads but for {@code handedOver}, which shows what every other
 * thread pays.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {
            "-XX:+UseSerialGC",
            "-Xmx1g",
            "-Djmh.executor=CUSTOM",
            "-Djmh.executor.class=io.enipam.bench.PolicyCallBench$EngineThreads"
        })
public class PolicyCallBench {
    /** Like the daemon's, but a thread that has to wait for a processor on a busy machine does not make its call late. */
    private static final GuardLimits PATIENT = new GuardLimits(
            Duration.ofSeconds(1),
            GuardLimits.DEFAULT.factoryCall(),
            GuardLimits.DEFAULT.factoryList(),
            GuardLimits.DEFAULT.factoryClose(),
            GuardLimits.DEFAULT.concurrent(),
            GuardLimits.DEFAULT.queued(),
            GuardLimits.DEFAULT.breaker());

    /** One policy, bare and guarded. */
    @State(Scope.Benchmark)
    public static class Policies {
        final PodRef pod = new PodRef("default", "p1");
        final PoolSnapshot pool =
                new PoolSnapshot(Instant.EPOCH, ResourceKind.ENI_IP, 100, 10, 20, 0, 0, Activity.NONE, List.of());
        ExecutorScheduler scheduler;
        PluginGuard guard;
        PoolPolicy bare;
        PolicyPort guarded;

        @Setup
        public void open() {
            scheduler = new ExecutorScheduler();
            guard = new PluginGuard(
                    "bench",
                    Policies.class.getClassLoader(),
                    PATIENT,
                    new SystemTime(),
                    scheduler,
                    scheduler,
                    health -> {});
            bare = () -> "bench";
            guarded = guard.policy(bare, "bench");
        }

        @TearDown
        public void close() {
            PluginCallCounts counters = guard.counters();
            guard.close();
            scheduler.close();
            if (counters.skipped() > counters.made() / 100) {
                throw new IllegalStateException("refusals were measured, not calls: " + counters);
            }
        }

        void ask(Blackhole answers) {
            guarded.ask("pick", policy -> policy.pick(pool, pod), Objects::nonNull, answers::consume);
        }
    }

    @Benchmark
    public void policyCall(Policies policies, Blackhole answers) {
        policies.ask(answers);
    }

    @Benchmark
    public Pick peerPolicyCall(Policies policies) {
        return policies.bare.pick(policies.pool, policies.pod);
    }

    @Benchmark
    @Threads(8)
    public void policyCallOnEightThreads(Policies policies, Blackhole answers) {
        policies.ask(answers);
    }

    @Benchmark
    @Threads(8)
    public Pick peerPolicyCallOnEightThreads(Policies policies) {
        return policies.bare.pick(policies.pool, policies.pod);
    }

    @Benchmark
    @Fork(
            value = 1,
            jvmArgsAppend = {"-XX:+UseSerialGC", "-Xmx1g"})
    public void handedOver(Policies policies, Blackhole answers) {
        policies.ask(answers);
    }

    @Benchmark
    @Fork(
            value = 1,
            jvmArgsAppend = {"-XX:+UseSerialGC", "-Xmx1g"})
    public Pick peerHandedOver(Policies policies) {
        return policies.bare.pick(policies.pool, policies.pod);
    }

    /** Lets JMH measure on the daemon's threads: named by {@code -Djmh.executor.class}, built by JMH. */
    public static final class EngineThreads extends ThreadPoolExecutor {
        public EngineThreads(int threads, String prefix) {
            super(
                    threads,
                    threads,
                    0,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    task -> new EngineThread(task, prefix + "-engine"));
        }
    }
}

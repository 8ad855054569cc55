package io.enipam.bench;

import io.enipam.daemon.platform.EngineThread;
import io.enipam.daemon.platform.ExecutorScheduler;
import io.enipam.daemon.platform.SystemTime;
import io.enipam.daemon.plugin.guard.GuardLimits;
import io.enipam.daemon.plugin.guard.PluginGuard;
import io.enipam.engine.port.PolicyPort;
import io.enipam.sdk.Activity;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.Target;
import java.time.Instant;
import java.util.List;
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
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * What it costs to ask a plugin's policy through its guard, with deadline, bulkhead and breaker, on a thread of the engine's.
 * The peer asks the same policy directly.
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
            "-Djmh.executor.class=io.enipam.bench.PolicyCallBench$OnEngineThreads"
        })
public class PolicyCallBench {
    /** Runs the benchmark where the engine asks its policies. */
    public static final class OnEngineThreads extends ThreadPoolExecutor {
        public OnEngineThreads(int threads, String name) {
            super(
                    threads,
                    threads,
                    1,
                    TimeUnit.MINUTES,
                    new LinkedBlockingQueue<>(),
                    task -> new EngineThread(task, name));
        }
    }

    /** The same policy, guarded and bare. */
    @State(Scope.Benchmark)
    public static class Policies {
        final PoolSnapshot pool =
                new PoolSnapshot(Instant.EPOCH, ResourceKind.ENI_IP, 100, 2, 5, 0, 0, Activity.NONE, List.of());
        final PoolPolicy bare = new PoolPolicy() {
            @Override
            public String name() {
                return "steady";
            }
        };
        private final ExecutorScheduler scheduler = new ExecutorScheduler();
        private final PluginGuard guard = new PluginGuard(
                "bench",
                PolicyCallBench.class.getClassLoader(),
                GuardLimits.usual(),
                new SystemTime(),
                scheduler,
                scheduler,
                health -> {});
        PolicyPort guarded = guard.policy(bare, "steady");

        /** Says so if the figure would be that of a hand-over between threads. */
        @Setup
        public void requireEngineThread() {
            if (!(Thread.currentThread() instanceof EngineThread)) {
                throw new IllegalStateException("the benchmark runs on " + Thread.currentThread());
            }
        }

        @TearDown
        public void close() {
            guard.close();
            scheduler.close();
        }
    }

    @Benchmark
    public void policyCall(Policies policies, Blackhole answers) {
        policies.guarded.ask(
                "target", policy -> policy.target(policies.pool), target -> target.minIdle() >= 0, answers::consume);
    }

    @Benchmark
    public Target peerPolicyCall(Policies policies) {
        return policies.bare.target(policies.pool);
    }
}

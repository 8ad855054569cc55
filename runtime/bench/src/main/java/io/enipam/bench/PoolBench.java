package io.enipam.bench;

import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.policy.PolicyGuard;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.pool.PoolListener;
import io.enipam.engine.pool.PoolSettings;
import io.enipam.engine.pool.ResourcePool;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The engine's pool: an acquire and the release that follows, and an acquire by id. The peer, {@link BaselinePool}, is the
 * plain design that terway's pool has: a lock, a queue for order and a scan for an id.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 50, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseSerialGC", "-Xmx1g"})
public class PoolBench {
    private static final Duration NO_WAIT = Duration.ofSeconds(1);

    /** Both pools with the same resources in them. */
    @State(Scope.Benchmark)
    public static class Pools {
        @Param({"10", "1000", "10000"})
        public int idle;

        ResourcePool pool;
        BaselinePool peer;
        ResourceId wish;

        @Setup
        public void fill() {
            List<Resource> resources = resources(idle);
            pool = pool(resources);
            peer = new BaselinePool(resources);
            wish = resources.get(idle - 1).id();
        }
    }

    /** So many addresses of one ENI. */
    public static List<Resource> resources(int count) {
        List<Resource> resources = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String host = "10." + (i >> 16) + "." + ((i >> 8) & 255) + "." + (i & 255);
            resources.add(new Resource(
                    new ResourceId("eni-bench/" + host),
                    ResourceKind.ENI_IP,
                    List.of(Address.parse(host + "/8")),
                    "eni-bench",
                    Map.of()));
        }
        return resources;
    }

    /** A pool in which these are idle. */
    public static ResourcePool pool(List<Resource> resources) {
        NoOpScheduler threads = new NoOpScheduler();
        PoolListener ignored = new PoolListener() {
            @Override
            public void demandChanged() {}

            @Override
            public void holdsEnded(List<ResourceKey> rows) {}

            @Override
            public void drained(String factory) {}
        };
        PolicyGuard policy = new PolicyGuard(
                new DirectPolicy(new WatermarkPolicy(), (severity, type, subject, message, attributes) -> {}));
        ResourcePool pool = new ResourcePool(
                threads,
                threads,
                new PoolSettings("bench", ResourceKind.ENI_IP, 0, Integer.MAX_VALUE),
                policy,
                ignored);
        pool.membership().capacity("bench", resources.size());
        resources.forEach(resource -> pool.membership().adopt(resource, Optional.empty()));
        return pool;
    }

    /** Each thread is a sandbox of its own. */
    @State(Scope.Thread)
    public static class Caller {
        OwnerKey owner;
        PodRef pod;

        @Setup
        public void name() {
            long id = Thread.currentThread().getId();
            owner = new OwnerKey("enipam", "c" + id, "eth0");
            pod = new PodRef("default", "p" + id);
        }
    }

    @Benchmark
    public CompletableFuture<Resource> acquireAndRelease(Pools pools, Caller caller) {
        CompletableFuture<Resource> lent = pools.pool.acquire(caller.owner, caller.pod, NO_WAIT);
        pools.pool.release(caller.owner, Optional.empty());
        return lent;
    }

    @Benchmark
    @Threads(8)
    public CompletableFuture<Resource> acquireAndReleaseOnEightThreads(Pools pools, Caller caller) {
        return acquireAndRelease(pools, caller);
    }

    @Benchmark
    public CompletableFuture<Resource> acquireByIdAndRelease(Pools pools, Caller caller) {
        CompletableFuture<Resource> lent = pools.pool.acquirePreferred(caller.owner, caller.pod, pools.wish, NO_WAIT);
        pools.pool.release(caller.owner, Optional.empty());
        return lent;
    }

    @Benchmark
    public Resource peerAcquireAndRelease(Pools pools, Caller caller) {
        Resource lent = pools.peer.acquire(caller.owner);
        pools.peer.release(caller.owner);
        return lent;
    }

    @Benchmark
    @Threads(8)
    public Resource peerAcquireAndReleaseOnEightThreads(Pools pools, Caller caller) {
        return peerAcquireAndRelease(pools, caller);
    }

    @Benchmark
    public Resource peerAcquireByIdAndRelease(Pools pools, Caller caller) {
        Resource lent = pools.peer.acquireById(caller.owner, pools.wish);
        pools.peer.release(caller.owner);
        return lent;
    }

    /**
     * The peer: what a straightforward pool costs. A lock, a priority queue by time of release, a map of what is in use, and a
     * scan of the queue for a resource asked for by id.
     */
    private static final class BaselinePool {
        private final ReentrantLock lock = new ReentrantLock();
        private final PriorityQueue<Item> idle = new PriorityQueue<>(Comparator.comparingLong(Item::releasedAt));
        private final Map<OwnerKey, Resource> inUse = new HashMap<>();

        BaselinePool(List<Resource> resources) {
            resources.forEach(resource -> idle.add(new Item(System.nanoTime(), resource)));
        }

        Resource acquire(OwnerKey owner) {
            lock.lock();
            try {
                return lend(owner, idle.remove().resource);
            } finally {
                lock.unlock();
            }
        }

        Resource acquireById(OwnerKey owner, ResourceId id) {
            lock.lock();
            try {
                Item found = idle.stream()
                        .filter(item -> item.resource.id().equals(id))
                        .findFirst()
                        .orElseThrow();
                idle.remove(found);
                return lend(owner, found.resource);
            } finally {
                lock.unlock();
            }
        }

        void release(OwnerKey owner) {
            lock.lock();
            try {
                idle.add(new Item(System.nanoTime(), inUse.remove(owner)));
            } finally {
                lock.unlock();
            }
        }

        private Resource lend(OwnerKey owner, Resource resource) {
            inUse.put(owner, resource);
            return resource;
        }

        private record Item(long releasedAt, Resource resource) {}
    }

    /** The system's clocks, and a scheduler for code that is never to schedule anything. */
    private static final class NoOpScheduler implements TimeSource, Scheduler {
        @Override
        public Instant now() {
            return Instant.now();
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public void execute(Runnable task) {
            throw new IllegalStateException("the benchmarked path schedules work: " + task);
        }

        @Override
        public Cancellable after(Duration delay, Runnable task) {
            throw new IllegalStateException("the benchmarked path waits " + delay + " for " + task);
        }
    }
}

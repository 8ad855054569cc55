package io.enipam.bench.cluster;

import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.ClusterEvent;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.Informer;
import io.enipam.sdk.cluster.ObjectKind;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.cluster.Patch;
import io.enipam.sdk.cluster.Reply;
import io.enipam.sdk.testkit.FakeCluster;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** An API server in memory that takes a while for each answer, and counts patches. Thread-safe. */
final class SlowCluster implements Cluster, AutoCloseable {
    private static final int THREADS = 4;

    private final FakeCluster server = new FakeCluster();
    private final Duration answer;
    private final ScheduledExecutorService threads =
            Executors.newScheduledThreadPool(THREADS, DaemonThreads.numbered("server"));
    private final LongAdder patches = new LongAdder();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    /** @param answer how long each takes */
    SlowCluster(Duration answer) {
        this.answer = answer;
    }

    void put(ClusterObject object) {
        server.put(object);
    }

    long patches() {
        return patches.sum();
    }

    /** The most patches that were under way at once. */
    int most() {
        return most.get();
    }

    private <T> CompletionStage<Reply<T>> later(Supplier<CompletionStage<Reply<T>>> request) {
        CompletableFuture<Reply<T>> later = new CompletableFuture<>();
        threads.schedule(() -> request.get().thenAccept(later::complete), answer.toNanos(), TimeUnit.NANOSECONDS);
        return later;
    }

    @Override
    public CompletionStage<Reply<ClusterObject>> patch(ObjectRef ref, Patch patch) {
        patches.increment();
        most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
        return later(() -> {
            underWay.decrementAndGet();
            return server.patch(ref, patch);
        });
    }

    @Override
    public Informer informer(ObjectKind kind) {
        return server.informer(kind);
    }

    @Override
    public CompletionStage<Reply<ClusterObject>> get(ObjectRef ref) {
        return later(() -> server.get(ref));
    }

    @Override
    public CompletionStage<Reply<ClusterObject>> create(ClusterObject object) {
        return later(() -> server.create(object));
    }

    @Override
    public CompletionStage<Reply<Boolean>> delete(ClusterObject object) {
        return later(() -> server.delete(object));
    }

    @Override
    public CompletionStage<Reply<Boolean>> report(ClusterObject about, ClusterEvent event) {
        return later(() -> server.report(about, event));
    }

    @Override
    public boolean leads() {
        return true;
    }

    @Override
    public Optional<String> leader() {
        return Optional.empty();
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}

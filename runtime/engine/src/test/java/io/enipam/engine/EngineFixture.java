package io.enipam.engine;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.DelProcedure.DelOutcome;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.PolicyPort;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.simulation.MemoryDatapath;
import io.enipam.engine.simulation.MemoryDb;
import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.engine.simulation.MemoryPods;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.engine.simulation.RecordedTraces;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.engine.testing.FakeGrants;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/** A node in virtual time: an engine on fakes that outlive it, so that it can crash and start again. */
final class EngineFixture {
    final VirtualTime time = new VirtualTime();
    /** How long the disk takes for a commit. */
    Duration disk = Duration.ZERO;

    final MemoryDb db = new MemoryDb(time, () -> disk);
    final MemoryPods pods = new MemoryPods();
    final MemoryDatapath kernel = new MemoryDatapath();
    final FakeGrants grants = new FakeGrants();
    final RecordedEvents events = new RecordedEvents(time);
    /** What whoever is told of events throws at, for a test of that. */
    Predicate<String> unbearable = type -> false;

    /** The stories of this life; a crash forgets them. */
    RecordedTraces traces = new RecordedTraces(time);

    /** For all lives together: one that drew the numbers of a former one would send its tokens again. */
    private final RandomGenerator random = new SplittableRandom(1);

    final MemoryFactory cloud;
    EngineConfig config;
    /** What a host keeps over a restart. */
    final List<String> drained = new ArrayList<>();

    final List<NamedFactory> leaving = new ArrayList<>();
    /** What the cloud says which machine this is, once a test has it say so. */
    CompletableFuture<NodeIdentity> machine = new CompletableFuture<>();

    NamedFactory active;
    PolicyPort policy;
    Scheduler scheduler = time;
    NodeIpam engine;

    EngineFixture(int capacity, EngineConfig config) {
        this(capacity, config, new WatermarkPolicy());
    }

    EngineFixture(int capacity, EngineConfig config, PoolPolicy policy) {
        this(config, policy, time -> MemoryFactory.instant(time, capacity));
    }

    EngineFixture(EngineConfig config, Function<VirtualTime, MemoryFactory> cloud) {
        this(config, new WatermarkPolicy(), cloud);
    }

    private EngineFixture(EngineConfig config, PoolPolicy policy, Function<VirtualTime, MemoryFactory> cloud) {
        this.cloud = cloud.apply(time);
        this.config = config;
        this.active = new NamedFactory("cloud", this.cloud);
        this.policy = new DirectPolicy(policy, events);
        this.engine = build();
    }

    /** Watermarks and cool-down as given, all else as by default. */
    static EngineConfig config(int minIdle, int maxIdle, Duration coolDown) {
        EngineConfig defaults = EngineConfig.defaults();
        return new EngineConfig(
                new Watermarks(minIdle, maxIdle, Integer.MAX_VALUE),
                defaults.families(),
                coolDown,
                defaults.createTimeout(),
                defaults.intervals());
    }

    /** The same with another idle reclaim. */
    static EngineConfig reclaiming(EngineConfig config, EngineConfig.IdleReclaim rule) {
        return new EngineConfig(
                config.watermarks(),
                config.families(),
                config.coolDown(),
                config.createTimeout(),
                config.intervals(),
                rule);
    }

    static EngineFixture started(int capacity, int minIdle, int maxIdle) {
        EngineFixture node = new EngineFixture(capacity, config(minIdle, maxIdle, Duration.ZERO));
        node.start();
        return node;
    }

    void start() {
        CompletableFuture<Void> started = engine.start();
        time.settle();
        if (!started.isDone()) {
            // what a list leaves out is looked for a second time
            time.advance(Duration.ofSeconds(1));
        }
        started.join();
        time.settle();
    }

    void crashAndStart() {
        time.crash();
        db.crash();
        engine = build();
        start();
    }

    void crash() {
        time.crash();
        db.crash();
        engine = build();
    }

    /** Swaps to another factory, and lets what that starts end. */
    CompletableFuture<Void> swap(String name, ResourceFactory factory) {
        CompletableFuture<Void> swap = engine.switchFactory(new NamedFactory(name, factory));
        time.settle();
        return swap;
    }

    /** The names of the makers of everything in the pool, in a state. */
    List<String> makers(ResourceState state) {
        return engine.pool().entries().stream()
                .filter(entry -> entry.state() == state)
                .map(entry -> entry.resource().factory())
                .sorted()
                .toList();
    }

    private NodeIpam build() {
        traces = new RecordedTraces(time);
        return new NodeIpam(
                config,
                new EnginePorts(
                        new EngineContext(time, scheduler, random, db, this::told, traces),
                        pods,
                        kernel,
                        new FactorySet(active, leaving, drained::add),
                        policy,
                        grants,
                        machine));
    }

    private void told(
            Event.Severity severity, String type, String subject, String message, Map<String, String> attributes) {
        if (unbearable.test(type)) {
            throw new IllegalStateException("nobody bears to hear of " + type);
        }
        events.publish(severity, type, subject, message, attributes);
    }

    static OwnerKey owner(String container) {
        return new OwnerKey("enipam", container, "eth0");
    }

    CompletableFuture<AddOutcome> adding(String pod, String container, Duration timeout) {
        CompletableFuture<AddOutcome> add = engine.add(new AddCommand(owner(container), PodRef.parse(pod), timeout));
        time.settle();
        return add;
    }

    /** Adds a running pod, creating it first, and returns its lease. */
    Lease add(String pod, String container) {
        pods.put(pod);
        CompletableFuture<AddOutcome> add = adding(pod, container, Duration.ofSeconds(10));
        if (!add.isDone()) {
            throw new AssertionError("pod " + pod + " has to wait: " + engine.pool());
        }
        return add.join().lease();
    }

    DelOutcome del(String container) {
        CompletableFuture<DelOutcome> del = engine.del(owner(container));
        time.settle();
        return del.join();
    }

    static ErrorCode code(CompletableFuture<?> failed) {
        return failure(failed).code();
    }

    static IpamException failure(CompletableFuture<?> failed) {
        try {
            failed.getNow(null);
        } catch (RuntimeException e) {
            return (IpamException) Stages.cause(e);
        }
        throw new AssertionError("did not fail: " + failed);
    }

    int count(ResourceState state) {
        return engine.pool().summary().count(state);
    }

    PoolView.Entry entry(Lease lease) {
        return engine.pool().entries().stream()
                .filter(e -> e.resource().equals(lease.resource()))
                .findFirst()
                .orElseThrow();
    }

    static String host(Lease lease) {
        return lease.resource().addresses().get(0).host();
    }

    List<String> rows() {
        return db.contents().leases().stream()
                .map(l -> l.owner().containerId())
                .sorted()
                .toList();
    }
}

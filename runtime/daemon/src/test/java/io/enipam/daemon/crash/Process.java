package io.enipam.daemon.crash;

import io.enipam.engine.EngineConfig;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.NodeIpam;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.engine.testing.CrashPoint;
import io.enipam.store.JournaledResourceDb;
import io.enipam.store.StoreException;
import io.enipam.store.StoreOptions;
import io.enipam.store.testing.SimulatedDisk;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** One run of the daemon: the engine on its database, from the opening to the death or the end. */
final class Process implements AutoCloseable {
    private static final StoreOptions SMALLEST = new StoreOptions(8 << 10, 64, Clock.systemUTC());
    private static final Duration STEP = Duration.ofMillis(100);
    private static final int STEPS = 3_000;

    final World world;
    final CrashPoint fate;
    final RecordedEvents events;
    final NodeIpam engine;
    private final ResourceDb db;

    private Process(World world, CrashPoint fate, RecordedEvents events, ResourceDb db, NodeIpam engine) {
        this.world = world;
        this.fate = fate;
        this.events = events;
        this.db = db;
        this.engine = engine;
    }

    /**
     * Begins a run and waits until it serves.
     *
     * @return empty if it died on the way
     */
    static Optional<Process> begin(World world, CrashPoint fate, boolean late, EngineConfig config) {
        SimulatedDisk disk = world.nextDisk(fate);
        ResourceDb opened;
        try {
            opened = JournaledResourceDb.open(disk.directory(), SMALLEST, disk);
        } catch (StoreException e) {
            if (fate.hasCrashed()) {
                return Optional.empty();
            }
            throw e;
        }
        RecordedEvents events = new RecordedEvents(world.time);
        ResourceDb db = new SteppedDb(opened, world.time, fate);
        NodeIpam engine = new NodeIpam(
                config,
                new EnginePorts(
                        new EngineContext(world.time, world.time, new SplittableRandom(1), db, events),
                        world.pods,
                        new MortalKernel(world, fate),
                        FactorySet.of(new NamedFactory("cloud", new MortalFactory(world, fate, late))),
                        new DirectPolicy(new WatermarkPolicy(), events)));
        Process process = new Process(world, fate, events, db, engine);
        if (process.await(engine.start()).isEmpty()) {
            process.close();
            return Optional.empty();
        }
        return Optional.of(process);
    }

    ResourceDb.Contents contents() {
        return db.contents();
    }

    /** Lets time pass until there is an answer; empty if the process dies first. */
    <T> Optional<CompletableFuture<T>> await(CompletableFuture<T> answer) {
        world.time.settle();
        for (int i = 0; i < STEPS && !answer.isDone() && !fate.hasCrashed(); i++) {
            world.time.advance(STEP);
        }
        if (fate.hasCrashed()) {
            return Optional.empty();
        }
        if (!answer.isDone()) {
            throw new AssertionError("no answer within " + STEP.multipliedBy(STEPS) + ": " + engine.status());
        }
        return Optional.of(answer);
    }

    /** Lets time pass; false if the process dies. */
    boolean live(Duration duration) {
        for (Duration passed = Duration.ZERO;
                passed.compareTo(duration) < 0 && !fate.hasCrashed();
                passed = passed.plus(STEP)) {
            world.time.advance(STEP);
        }
        return !fate.hasCrashed();
    }

    /** A proper end, if the process lives; what the dead one still had to do is forgotten. */
    @Override
    public void close() {
        engine.close();
        world.time.settle();
        world.time.crash();
        db.close();
    }
}

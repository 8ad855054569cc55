package io.enipam.engine;

import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.PodDirectory;
import io.enipam.engine.port.PolicyPort;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.port.TraceSink;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;

/**
 * Everything the engine is given.
 *
 * @param machine completes when the cloud has said which machine this is, before it has listed anything; may never
 * @param traces told the story of each operation
 * @param random used under the engine's locks only; jitter and tokens come from it
 */
public record EnginePorts(
        TimeSource time,
        Scheduler scheduler,
        RandomGenerator random,
        ResourceDb db,
        PodDirectory pods,
        Datapath datapath,
        EventSink events,
        FactorySet supplies,
        PolicyPort policy,
        CompletionStage<NodeIdentity> machine,
        TraceSink traces) {
    /** Nobody listens to the stories. */
    public EnginePorts(
            TimeSource time,
            Scheduler scheduler,
            RandomGenerator random,
            ResourceDb db,
            PodDirectory pods,
            Datapath datapath,
            EventSink events,
            FactorySet supplies,
            PolicyPort policy,
            CompletionStage<NodeIdentity> machine) {
        this(time, scheduler, random, db, pods, datapath, events, supplies, policy, machine, TraceSink.NONE);
    }

    /** Nobody ever says which machine this is. */
    public EnginePorts(
            TimeSource time,
            Scheduler scheduler,
            RandomGenerator random,
            ResourceDb db,
            PodDirectory pods,
            Datapath datapath,
            EventSink events,
            FactorySet supplies,
            PolicyPort policy) {
        this(time, scheduler, random, db, pods, datapath, events, supplies, policy, new CompletableFuture<>());
    }
}

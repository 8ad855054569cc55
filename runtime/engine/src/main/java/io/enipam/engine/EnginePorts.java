package io.enipam.engine;

import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.GrantDirectory;
import io.enipam.engine.port.PodDirectory;
import io.enipam.engine.port.PolicyPort;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Everything outside that the engine works with.
 *
 * @param grants what allocators of plugins gave to pods: collected as leases are
 * @param machine completes when the cloud has identified this machine, before it has listed anything; may never complete
 */
public record EnginePorts(
        EngineContext context,
        PodDirectory pods,
        Datapath datapath,
        FactorySet supplies,
        PolicyPort policy,
        GrantDirectory grants,
        CompletionStage<NodeIdentity> machine) {
    /** Ports of a machine that is never identified, and without allocators. */
    public EnginePorts(
            EngineContext context, PodDirectory pods, Datapath datapath, FactorySet supplies, PolicyPort policy) {
        this(context, pods, datapath, supplies, policy, GrantDirectory.NONE, new CompletableFuture<>());
    }
}

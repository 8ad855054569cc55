package io.enipam.daemon;

import io.enipam.aliyun.eni.EniUse;
import io.enipam.config.DaemonConfig;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.NodeIpam;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.port.TimeSource;
import io.enipam.events.EventRing;
import io.enipam.kubernetes.cidr.NodeCidrFactory;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.pluginhost.PluginHost;
import io.enipam.pluginhost.PluginHost.BuiltIns;
import io.enipam.pluginhost.load.PluginCatalog;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.ResourceFactory;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which engine the daemon runs, and with which policy of its own.
 *
 * @param engine builds the engine on its ports; it is started by the daemon
 * @param policy builds the built-in policy
 */
public record EngineAssembly(BiFunction<EngineConfig, EnginePorts, IpamEngine> engine, Supplier<PoolPolicy> policy) {
    /** The engine and the policy that the daemon ships with: the one place where their classes are named. */
    static EngineAssembly builtIn() {
        return new EngineAssembly(NodeIpam::new, WatermarkPolicy::new);
    }

    /** The names of what ships with the daemon: no plugin may bring another of the same. */
    public static Set<String> names() {
        return Stream.concat(
                        Stream.of(WatermarkPolicy.NAME, NodeCidrFactory.NAME),
                        Arrays.stream(EniUse.values()).map(EniUse::factory))
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * What ships with the daemon.
     *
     * @param cloud the cloud's factory of a use
     * @param nodeCidr the factory of the node's CIDR
     */
    BuiltIns builtIns(Function<EniUse, ResourceFactory> cloud, Supplier<ResourceFactory> nodeCidr) {
        Map<String, Supplier<ResourceFactory>> factories = new HashMap<>();
        factories.put(NodeCidrFactory.NAME, nodeCidr);
        for (EniUse use : EniUse.values()) {
            factories.put(use.factory(), () -> cloud.apply(use));
        }
        return new BuiltIns(Map.of(WatermarkPolicy.NAME, policy), factories);
    }

    /**
     * The plugins on what ships with the daemon, wired alike for who serves and for who only looks.
     *
     * @param cloud the cloud's factory of a use
     * @param nodeCidr the factory of the node's CIDR
     */
    PluginHost plugins(
            PluginCatalog catalog,
            Function<EniUse, ResourceFactory> cloud,
            Supplier<ResourceFactory> nodeCidr,
            DaemonConfig config,
            DaemonLayout layout,
            TimeSource time,
            ExecutorScheduler scheduler,
            EventRing events) {
        return new PluginHost(
                catalog, builtIns(cloud, nodeCidr), config, layout.pluginData(), time, scheduler, scheduler, events);
    }
}

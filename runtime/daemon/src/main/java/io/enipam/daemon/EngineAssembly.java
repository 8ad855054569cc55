package io.enipam.daemon;

import io.enipam.aliyun.eni.EniUse;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.NodeIpam;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.kubernetes.cidr.NodeCidrFactory;
import io.enipam.pluginhost.PluginHost.BuiltIns;
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
 * The daemon's engine, and its built-in policy.
 *
 * @param engine builds the engine on its ports; the daemon starts it
 * @param policy builds the built-in policy
 */
public record EngineAssembly(BiFunction<EngineConfig, EnginePorts, IpamEngine> engine, Supplier<PoolPolicy> policy) {
    /** The engine and the built-in policy: the only place that names their classes. */
    static EngineAssembly builtIn() {
        return new EngineAssembly(NodeIpam::new, WatermarkPolicy::new);
    }

    /** The names of the built-in parts: a plugin must not use them. */
    public static Set<String> names() {
        return Stream.concat(
                        Stream.of(WatermarkPolicy.NAME, NodeCidrFactory.NAME),
                        Arrays.stream(EniUse.values()).map(EniUse::factory))
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * The built-in parts.
     *
     * @param cloud makes the cloud's factory of a use
     * @param nodeCidr makes the factory of the node's CIDR
     */
    BuiltIns builtIns(Function<EniUse, ResourceFactory> cloud, Supplier<ResourceFactory> nodeCidr) {
        Map<String, Supplier<ResourceFactory>> factories = new HashMap<>();
        factories.put(NodeCidrFactory.NAME, nodeCidr);
        for (EniUse use : EniUse.values()) {
            factories.put(use.factory(), () -> cloud.apply(use));
        }
        return new BuiltIns(Map.of(WatermarkPolicy.NAME, policy), factories);
    }
}

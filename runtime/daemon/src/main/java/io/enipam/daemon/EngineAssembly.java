package io.enipam.daemon;

import io.enipam.daemon.plugin.BuiltIns;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.ResourceFactory;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Which engine the daemon runs, and with which policy of its own.
 *
 * @param engine builds the engine on its ports; it is started by the daemon
 * @param policy builds the built-in policy
 */
public record EngineAssembly(BiFunction<EngineConfig, EnginePorts, IpamEngine> engine, Supplier<PoolPolicy> policy) {
    /** The name of the cloud's factory. */
    public static final String CLOUD_FACTORY = "eni-ip";

    /** What ships with the daemon. */
    BuiltIns builtIns(Supplier<ResourceFactory> cloud) {
        return new BuiltIns(Map.of(WatermarkPolicy.NAME, policy), Map.of(CLOUD_FACTORY, cloud));
    }
}

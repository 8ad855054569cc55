package io.enipam.daemon;

import io.enipam.engine.EngineConfig;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.IpamEngine;
import io.enipam.sdk.PoolPolicy;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Which engine the daemon runs, and with which policy.
 *
 * @param engine builds the engine on its ports; it is started by the daemon
 * @param policy builds the policy in force
 */
public record EngineAssembly(BiFunction<EngineConfig, EnginePorts, IpamEngine> engine, Supplier<PoolPolicy> policy) {}

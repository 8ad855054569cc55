package io.enipam.pluginhost;

import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.ResourceFactory;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What ships with the daemon, and is trusted.
 *
 * @param policies by name
 * @param factories by name; a factory is asked for when it is needed, and again after it was closed
 */
public record BuiltIns(Map<String, Supplier<PoolPolicy>> policies, Map<String, Supplier<ResourceFactory>> factories) {
    /** The id under which they are listed beside the plugins. */
    public static final String ID = "builtin";

    public BuiltIns {
        policies = Map.copyOf(policies);
        factories = Map.copyOf(factories);
    }
}

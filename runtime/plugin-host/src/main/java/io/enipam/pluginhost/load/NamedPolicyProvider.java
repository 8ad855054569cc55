package io.enipam.pluginhost.load;

import io.enipam.sdk.PluginContext;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolPolicyProvider;

/** A plugin's policy, whose name was asked for once. */
final class NamedPolicyProvider implements PoolPolicyProvider {
    private final String name;
    private final PoolPolicyProvider provider;

    NamedPolicyProvider(String name, PoolPolicyProvider provider) {
        this.name = name;
        this.provider = provider;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public PoolPolicy open(PluginContext context) {
        return provider.open(context);
    }

    @Override
    public String toString() {
        return name;
    }
}

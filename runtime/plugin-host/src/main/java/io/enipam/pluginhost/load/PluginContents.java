package io.enipam.pluginhost.load;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.ResourceFactoryProvider;
import io.enipam.sdk.Setting;
import java.util.List;

/** What a plugin brings, each thing of it checked by itself. */
record PluginContents(
        IpamPlugin plugin,
        List<Setting<?>> settings,
        List<ResourceFactoryProvider> factories,
        List<PoolPolicyProvider> policies,
        List<Diagnostic> diagnostics) {}

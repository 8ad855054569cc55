package io.enipam.pluginhost.load;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.ResourceFactoryProvider;
import io.enipam.sdk.Setting;
import java.nio.file.Path;
import java.util.List;

/**
 * A plugin whose entry point answered, and what it brings, asked once. Immutable and thread-safe.
 *
 * <p>Names, summaries and parameters of what it hands out are constants here: asking for them runs none of the plugin's
 * code. Opening a factory or policy and running a diagnostic does, and so does every call of {@link #plugin()}.
 */
public final class LoadedPlugin {
    private final PluginManifest manifest;
    private final Path source;
    private final PluginClassLoader loader;
    private final IpamPlugin plugin;
    private final List<Setting<?>> settings;
    private final List<ResourceFactoryProvider> factories;
    private final List<PoolPolicyProvider> policies;
    private final List<Diagnostic> diagnostics;

    LoadedPlugin(
            PluginManifest manifest,
            Path source,
            PluginClassLoader loader,
            IpamPlugin plugin,
            List<Setting<?>> settings,
            List<ResourceFactoryProvider> factories,
            List<PoolPolicyProvider> policies,
            List<Diagnostic> diagnostics) {
        this.manifest = manifest;
        this.source = source;
        this.loader = loader;
        this.plugin = plugin;
        this.settings = List.copyOf(settings);
        this.factories = List.copyOf(factories);
        this.policies = List.copyOf(policies);
        this.diagnostics = List.copyOf(diagnostics);
    }

    public PluginManifest manifest() {
        return manifest;
    }

    /** The jar or the directory it was found in. */
    public Path source() {
        return source;
    }

    /** The plugin's entry point itself. */
    public IpamPlugin plugin() {
        return plugin;
    }

    public PluginClassLoader loader() {
        return loader;
    }

    /** Its settings, as it gave them, with different names. */
    public List<Setting<?>> settings() {
        return settings;
    }

    /** Its factories, with names that no other plugin's factory or policy has. */
    public List<ResourceFactoryProvider> factories() {
        return factories;
    }

    /** Its policies, with names that no other plugin's factory or policy has. */
    public List<PoolPolicyProvider> policies() {
        return policies;
    }

    /** Its diagnostics, with different names. */
    public List<Diagnostic> diagnostics() {
        return diagnostics;
    }

    @Override
    public String toString() {
        return manifest.id() + " " + manifest.version();
    }
}

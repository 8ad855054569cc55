package io.enipam.daemon.plugin.load;

import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.ResourceFactoryProvider;
import io.enipam.sdk.Setting;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;

/**
 * A plugin that was loaded, and what it brings, asked once. Thread-safe; what is behind the providers is the plugin's code and
 * called through a guard alone.
 *
 * @param source the directory or jar it came from
 * @param factories by name
 * @param policies by name
 */
public record LoadedPlugin(
        PluginManifest manifest,
        Path source,
        PluginClassLoader loader,
        List<Setting<?>> settings,
        SortedMap<String, ResourceFactoryProvider> factories,
        SortedMap<String, PoolPolicyProvider> policies,
        List<LoadedDiagnostic> diagnostics) {
    public LoadedPlugin {
        settings = List.copyOf(settings);
        diagnostics = List.copyOf(diagnostics);
    }

    public String id() {
        return manifest.id();
    }
}

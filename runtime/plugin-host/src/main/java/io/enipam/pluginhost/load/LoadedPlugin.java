package io.enipam.pluginhost.load;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.Extension;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.ResourceFactoryProvider;
import io.enipam.sdk.Setting;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A plugin whose entry point answered, and what it brings, asked once. Immutable and thread-safe.
 *
 * <p>Names, summaries and parameters of what it hands out are constants here: asking for them runs none of the plugin's code. Opening a
 * factory or policy and running a diagnostic does, and so does every call of {@link #plugin()}.
 *
 * @param settings as the plugin gave them, with different names
 * @param parts what can be opened
 * @param diagnostics with different names
 */
public record LoadedPlugin(
        PluginManifest manifest,
        Origin origin,
        PluginClassLoader loader,
        IpamPlugin plugin,
        List<Setting<?>> settings,
        Parts parts,
        List<Diagnostic> diagnostics) {
    public LoadedPlugin {
        settings = List.copyOf(settings);
        diagnostics = List.copyOf(diagnostics);
    }

    /** What a plugin can open, each with a name that no other part of any plugin has. */
    public record Parts(
            List<ResourceFactoryProvider> factories, List<PoolPolicyProvider> policies, List<Extension> extensions) {
        public Parts {
            factories = List.copyOf(factories);
            policies = List.copyOf(policies);
            extensions = List.copyOf(extensions);
        }

        /** All names, each as often as it is there. */
        List<String> names() {
            return Stream.of(
                            factories.stream().map(ResourceFactoryProvider::name),
                            policies.stream().map(PoolPolicyProvider::name),
                            extensions.stream().map(Extension::name))
                    .flatMap(names -> names)
                    .toList();
        }
    }

    /** The jar or the directory it was found in. */
    public Path source() {
        return origin.source();
    }

    /**
     * The files it was loaded from.
     *
     * @param source the jar or the directory it was found in
     * @param fingerprint another one when its jars are others
     */
    public record Origin(Path source, String fingerprint) {}

    @Override
    public String toString() {
        return manifest.id() + " " + manifest.version();
    }

    /**
     * What the manifest of a plugin's main jar says, checked.
     *
     * @param id {@code Plugin-Id}, {@code [a-z][a-z0-9-]{0,62}}
     * @param version {@code Plugin-Version}, a semantic version such as {@code 1.4.0-rc.1}
     * @param sdkRange {@code Sdk-Version}, the versions of the SDK it works with, such as {@code [0.1,0.2)}
     */
    public record PluginManifest(String id, String version, String sdkRange) {}
}

package io.enipam.pluginhost;

import io.enipam.config.KnownPlugins;
import io.enipam.pluginhost.load.LoadedPlugin;
import io.enipam.pluginhost.load.LoadedPlugin.PluginManifest;
import io.enipam.pluginhost.load.PluginCatalog;
import io.enipam.pluginhost.load.PluginCatalog.RejectedPlugin;
import io.enipam.pluginhost.load.PluginCatalog.WaitingPlugin;
import io.enipam.sdk.Extension;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.ResourceFactoryProvider;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The plugins of a catalog, as configuration asks for them. */
public record InstalledPlugins(PluginCatalog catalog) implements KnownPlugins.Installed {
    @Override
    public List<String> ids() {
        return Stream.concat(
                        catalog.plugins().stream().map(LoadedPlugin::manifest),
                        catalog.waiting().stream().map(WaitingPlugin::manifest))
                .map(PluginManifest::id)
                .toList();
    }

    @Override
    public List<KnownPlugins.Plugin> plugins() {
        return catalog.plugins().stream().map(InstalledPlugins::known).toList();
    }

    @Override
    public Set<String> rejected() {
        return catalog.rejected().stream().map(RejectedPlugin::name).collect(Collectors.toSet());
    }

    @Override
    public Optional<KnownPlugins.Plugin> find(String id) {
        return catalog.plugin(id).map(InstalledPlugins::known);
    }

    @Override
    public void awaitOneWith(String name) {
        catalog.offering(name);
    }

    private static KnownPlugins.Plugin known(LoadedPlugin plugin) {
        return new KnownPlugins.Plugin(
                plugin.manifest().id(),
                plugin.settings(),
                PluginHost.names(plugin.parts().policies(), PoolPolicyProvider::name),
                PluginHost.names(plugin.parts().factories(), ResourceFactoryProvider::name),
                PluginHost.names(plugin.parts().extensions(), Extension::name));
    }
}

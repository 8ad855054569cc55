package io.enipam.pluginhost.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.pluginhost.load.PluginCatalog.PluginSearchPath;
import io.enipam.pluginhost.load.PluginCatalog.RejectedPlugin;
import io.enipam.pluginhost.testing.PluginJar;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A directory of plugins, and what a daemon makes of it. */
final class PluginInstallation implements AutoCloseable {
    /** Long enough that no machine under load misses it. */
    static final Duration PATIENT = Duration.ofSeconds(30);

    private final Path directory;
    private PluginCatalog catalog = PluginCatalog.empty();

    PluginInstallation(Path directory) {
        this.directory = directory;
    }

    Path directory() {
        return directory;
    }

    PluginCatalog catalog() {
        return catalog;
    }

    Path add(PluginJar jar) {
        return jar.write(directory);
    }

    PluginCatalog load(String... reservedNames) {
        return load(places(directory), PATIENT, reservedNames);
    }

    PluginCatalog load(PluginSearchPath places, Duration deadline, String... reservedNames) {
        return find(places, deadline, LoadingRecord.none(), reservedNames).loadAll();
    }

    /** As a daemon begins: no plugin's code has run. */
    PluginCatalog find(PluginSearchPath places, Duration deadline, LoadingRecord record, String... reservedNames) {
        catalog.close();
        catalog = PluginCatalog.find(places, PluginJar.SDK_VERSION, Set.of(reservedNames), deadline, record);
        return catalog;
    }

    /** Loads a single plugin, which must be a good one. */
    LoadedPlugin loadOne() {
        load();
        assertThat(catalog.rejected()).isEmpty();
        assertThat(catalog.plugins()).hasSize(1);
        return catalog.plugins().get(0);
    }

    /** Loads several plugins, of which one is rejected. */
    RejectedPlugin loadAndReject() {
        load();
        return rejected();
    }

    RejectedPlugin rejected() {
        assertThat(catalog.rejected()).hasSize(1);
        return catalog.rejected().get(0);
    }

    List<String> ids() {
        return catalog.plugins().stream().map(plugin -> plugin.manifest().id()).toList();
    }

    static PluginSearchPath places(Path directory) {
        return new PluginSearchPath(Optional.of(directory), List.of(), noClassPath());
    }

    static ClassLoader noClassPath() {
        return ClassLoader.getPlatformClassLoader();
    }

    @Override
    public void close() {
        catalog.close();
    }
}

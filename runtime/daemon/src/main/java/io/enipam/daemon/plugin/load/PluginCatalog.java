package io.enipam.daemon.plugin.load;

import io.enipam.sdk.IpamPlugin;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * All plugins there are, loaded or not.
 *
 * @param plugins by id
 * @param rejected those that are not used
 */
public record PluginCatalog(List<LoadedPlugin> plugins, List<RejectedPlugin> rejected) implements AutoCloseable {
    private static final String SERVICE = "META-INF/services/" + IpamPlugin.class.getName();

    public PluginCatalog {
        plugins =
                plugins.stream().sorted(Comparator.comparing(LoadedPlugin::id)).toList();
        rejected = List.copyOf(rejected);
    }

    /** No plugin at all. */
    public static PluginCatalog empty() {
        return new PluginCatalog(List.of(), List.of());
    }

    /**
     * Loads every plugin of these places. Whatever is wrong with one makes that one a rejected plugin; the others go on.
     *
     * @param sdkVersion the version of the SDK that this daemon has
     * @param reservedNames names of policies and factories that no plugin may bring
     * @param deadline how long a plugin's code may take to say what it brings
     */
    public static PluginCatalog load(
            PluginPlaces places, String sdkVersion, Set<String> reservedNames, Duration deadline) {
        PluginLoading loading = new PluginLoading(sdkVersion, reservedNames, deadline);
        places.directory().ifPresent(directory -> {
            try {
                PluginFiles.in(directory).forEach(loading::add);
            } catch (IOException e) {
                loading.reject(directory, "the directory of plugins cannot be read: " + e);
            }
        });
        for (Path named : places.named()) {
            try {
                loading.add(PluginFiles.at(named));
            } catch (IOException e) {
                loading.reject(named, "it cannot be read: " + e);
            }
        }
        try {
            for (URL service : Collections.list(places.classPath().getResources(SERVICE))) {
                if (service.openConnection() instanceof JarURLConnection jar) {
                    loading.add(PluginFiles.at(Path.of(jar.getJarFileURL().toURI())));
                }
            }
        } catch (IOException | URISyntaxException e) {
            loading.reject(Path.of("class path"), "it cannot be searched for plugins: " + e);
        }
        return loading.load();
    }

    /** Releases the jars. Nothing of a plugin may be in use any more. */
    @Override
    public void close() throws IOException {
        List<IOException> failures = new ArrayList<>();
        Stream<PluginClassLoader> loaders = plugins.stream().map(LoadedPlugin::loader);
        loaders.forEach(loader -> {
            try {
                loader.close();
            } catch (IOException e) {
                failures.add(e);
            }
        });
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }
}

package io.enipam.daemon.plugin.load;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * The plugins of a daemon: those that can be used, and those that cannot with the cause.
 *
 * @param plugins sorted by id
 * @param rejected in the order in which they were found
 */
public record PluginCatalog(List<LoadedPlugin> plugins, List<RejectedPlugin> rejected) implements AutoCloseable {
    public PluginCatalog {
        plugins = List.copyOf(plugins);
        rejected = List.copyOf(rejected);
    }

    /**
     * Finds and loads all plugins. Whatever is wrong with one makes it a rejected one.
     *
     * @param sdkVersion the semantic version of the SDK in this daemon
     * @param reservedNames names of policies and factories that no plugin may use
     * @param deadline how long the entry point of each plugin may take
     */
    public static PluginCatalog load(
            PluginPlaces places, String sdkVersion, Set<String> reservedNames, Duration deadline) {
        return new PluginCatalog(List.of(), List.of());
    }

    /** Releases the jars of all plugins. Their threads are not stopped. */
    @Override
    public void close() {}
}

package io.enipam.pluginhost.load;

import io.enipam.config.IoReason;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plugins of a daemon: those that can be used, and those that cannot with the cause.
 *
 * @param plugins sorted by id
 * @param rejected first those whose files say enough, in the order in which they were found, then those whose code ran,
 *     by id
 */
public record PluginCatalog(List<LoadedPlugin> plugins, List<RejectedPlugin> rejected) implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PluginCatalog.class);

    public PluginCatalog {
        plugins = List.copyOf(plugins);
        rejected = List.copyOf(rejected);
    }

    /**
     * Finds and loads all plugins, one after the other. Whatever is wrong with one makes it a rejected one, and the others go
     * on. Of two plugins with one id the one found first is used: named before installed, installed before the class path.
     * Factories and policies share one set of names; of two plugins that use one name the first by id has it.
     *
     * @param sdkVersion the semantic version of the SDK in this daemon; a pre-release counts as its release
     * @param reservedNames names of factories and policies that no plugin may use
     * @param deadline how long the entry point of each plugin may take
     * @throws IllegalArgumentException if the SDK's version is none
     */
    public static PluginCatalog load(
            PluginSearchPath places, String sdkVersion, Set<String> reservedNames, Duration deadline) {
        return new PluginLoader(sdkVersion, reservedNames, deadline, TrustedPathCheck.ofThisProcess()).load(places);
    }

    /** Releases the jars of all plugins. What they opened is not closed, and their threads are not stopped. */
    @Override
    public void close() {
        for (LoadedPlugin plugin : plugins) {
            try {
                plugin.loader().close();
            } catch (IOException e) {
                LOG.warn("the jars of plugin {} were not closed: {}", plugin, IoReason.of(e));
            }
        }
    }
}

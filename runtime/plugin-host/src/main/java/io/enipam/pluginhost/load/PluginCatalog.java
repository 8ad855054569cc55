package io.enipam.pluginhost.load;

import io.enipam.config.IoReason;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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

    /**
     * Where plugins are looked for. A plugin that is found on two ways, by the same real path, is one plugin.
     *
     * @param directory each directory in it that holds jars, and each jar in it, is a plugin; other files and names that start
     *     with a dot are passed over, symbolic links are followed, and a directory that is missing is an empty one
     * @param named jars, or directories of jars, that somebody named one by one: one that is missing is a rejected plugin
     * @param classPath every jar it sees that offers an {@link io.enipam.sdk.IpamPlugin} as a service is a plugin of that jar
     *     alone; its classes are loaded anew, never through this loader
     */
    public record PluginSearchPath(Optional<Path> directory, List<Path> named, ClassLoader classPath) {
        public PluginSearchPath {
            named = List.copyOf(named);
        }
    }

    /**
     * A plugin that was found and is not used. Holds nothing of the plugin.
     *
     * @param name its id, or the name of its file where the id is not known or not an id
     * @param source the jar or the directory
     * @param cause what failed, why, and what to do, in one line of printable text
     */
    public record RejectedPlugin(String name, Path source, String cause) {}
}

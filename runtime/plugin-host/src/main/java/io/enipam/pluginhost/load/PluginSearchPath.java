package io.enipam.pluginhost.load;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

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

package io.enipam.daemon.plugin.load;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Where plugins are looked for.
 *
 * @param directory each directory in it with jars, and each jar in it, is a plugin; one that is missing is empty
 * @param named given by name: a jar, or a directory with jars
 * @param classPath every jar on it that names an {@code IpamPlugin} service is a plugin, loaded from that jar alone
 */
public record PluginPlaces(Optional<Path> directory, List<Path> named, ClassLoader classPath) {
    public PluginPlaces {
        named = List.copyOf(named);
    }
}

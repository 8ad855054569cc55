package io.enipam.pluginhost.load;

import io.enipam.config.IoReason;
import io.enipam.pluginhost.load.LoadedPlugin.PluginManifest;
import io.enipam.pluginhost.load.PluginFinder.PluginFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
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
     * Factories, policies and extensions share one set of names; of two plugins that use one name the first by id has it.
     *
     * @param sdkVersion the semantic version of the SDK in this daemon; a pre-release counts as its release
     * @param reservedNames names of factories, policies and extensions that no plugin may use
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
        plugins.forEach(plugin -> close(plugin.loader()));
    }

    private static void close(PluginClassLoader loader) {
        try {
            loader.close();
        } catch (IOException e) {
            LOG.warn("the jars of {} were not closed: {}", loader.getName(), IoReason.of(e));
        }
    }

    /**
     * Where plugins are looked for. A plugin that is found on two ways, by the same real path, is one plugin.
     *
     * @param directory each directory in it that holds jars, and each jar in it, is a plugin; other files and names that start
     *     with a dot are passed over, symbolic links are followed, and a directory that is missing is an empty one
     * @param named jars, or directories of jars, that the operator named one by one: one that is missing is a rejected plugin
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
     * @param cause what failed, why, and what to do, in one line of printable text
     */
    public record RejectedPlugin(String name, Path source, String cause) {}

    /** One run over all plugins, on the caller's thread. Used once. */
    static final class PluginLoader {
        private final String sdkVersion;
        private final Duration deadline;
        private final TrustedPathCheck replaceable;
        private final List<LoadedPlugin> loaded = new ArrayList<>();
        private final List<RejectedPlugin> rejected = new ArrayList<>();
        /** Which plugin has a name of a factory, policy or extension, for messages. */
        private final Map<String, String> names = new HashMap<>();

        PluginLoader(String sdkVersion, Set<String> reservedNames, Duration deadline, TrustedPathCheck replaceable) {
            PluginIdentity.release(sdkVersion);
            this.sdkVersion = sdkVersion;
            this.deadline = deadline;
            this.replaceable = replaceable;
            reservedNames.forEach(name -> names.put(name, "the daemon's own"));
        }

        PluginCatalog load(PluginSearchPath places) {
            PluginFinder.Found found = PluginFinder.find(places);
            rejected.addAll(found.rejected());
            TreeMap<String, Candidate> byId = new TreeMap<>();
            for (PluginFiles files : found.plugins()) {
                check(files, byId);
            }
            for (Candidate candidate : byId.values()) {
                load(candidate);
            }
            return new PluginCatalog(loaded, rejected);
        }

        private record Candidate(PluginManifest manifest, PluginFiles files) {}

        private void check(PluginFiles files, Map<String, Candidate> byId) {
            String name = files.name();
            try {
                replaceable.refuse(files);
                PluginIdentity identity = PluginIdentity.of(files);
                name = identity.id();
                PluginManifest manifest = identity.manifest(sdkVersion);
                identity.requireOneEntryPoint();
                Candidate first = byId.putIfAbsent(name, new Candidate(manifest, files));
                if (first != null) {
                    throw new PluginLoadException("plugin " + name + " is there twice, and "
                            + first.files().source() + " was found first; remove one of the two");
                }
            } catch (PluginLoadException | RuntimeException e) {
                reject(name, files, e);
            }
        }

        private void load(Candidate candidate) {
            String id = candidate.manifest().id();
            try {
                PluginClassLoader loader = open(candidate);
                try {
                    LoadedPlugin plugin = EntryPoint.load(
                            candidate.manifest(), candidate.files().source(), loader, deadline);
                    takeNames(plugin);
                    loaded.add(plugin);
                } catch (PluginLoadException | RuntimeException e) {
                    close(loader);
                    throw e;
                }
            } catch (PluginLoadException | RuntimeException e) {
                reject(id, candidate.files(), e);
            }
        }

        private static PluginClassLoader open(Candidate candidate) throws PluginLoadException {
            try {
                return PluginClassLoader.open(
                        candidate.manifest().id(), candidate.files().jars(), PluginLoader.class.getClassLoader());
            } catch (IOException | SecurityException e) {
                throw new PluginLoadException("a jar of " + candidate.files().source() + " cannot be opened: "
                        + (e instanceof IOException io ? IoReason.withFile(io) : OneLine.of(e)));
            }
        }

        /** Takes all its names, or none. */
        private void takeNames(LoadedPlugin plugin) throws PluginLoadException {
            Map<String, String> taken = new HashMap<>();
            for (String name : plugin.parts().names()) {
                String owner = names.get(name);
                if (owner != null) {
                    throw new PluginLoadException(
                            "the name " + name + " is " + owner + "; factories, policies and extensions have one name"
                                    + " each over all plugins, so the plugin must call its own differently");
                }
                if (taken.put(name, "that of plugin " + plugin.manifest().id()) != null) {
                    throw new PluginLoadException(
                            "the name " + name + " is that of two parts of this plugin; names must differ");
                }
            }
            names.putAll(taken);
        }

        /** An unexpected failure, too, rejects this plugin only. */
        private void reject(String name, PluginFiles files, Exception e) {
            String cause = e instanceof PluginLoadException problem ? problem.describe() : OneLine.of(e);
            rejected.add(new RejectedPlugin(name, files.source(), cause));
        }
    }

    /** One plugin cannot be used; the message is for the operator. */
    static final class PluginLoadException extends Exception {
        private static final long serialVersionUID = 1L;

        PluginLoadException(String cause) {
            super(OneLine.of(cause));
        }

        /** The message, one printable line. */
        String describe() {
            return String.valueOf(getMessage());
        }
    }
}

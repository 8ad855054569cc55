package io.enipam.pluginhost.load;

import io.enipam.config.IoReason;
import io.enipam.pluginhost.load.LoadedPlugin.PluginManifest;
import io.enipam.pluginhost.load.PluginCatalog.PluginSearchPath;
import io.enipam.pluginhost.load.PluginCatalog.RejectedPlugin;
import io.enipam.pluginhost.load.PluginFinder.PluginFiles;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.ResourceFactoryProvider;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run over all plugins, on the caller's thread. Used once. */
final class PluginLoader {
    private static final Logger LOG = LoggerFactory.getLogger(PluginLoader.class);

    private final String sdkVersion;
    private final Duration deadline;
    private final TrustedPathCheck replaceable;
    private final List<LoadedPlugin> loaded = new ArrayList<>();
    private final List<RejectedPlugin> rejected = new ArrayList<>();
    /** Which plugin has a name of a factory or policy, for messages. */
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
                LoadedPlugin plugin =
                        EntryPoint.load(candidate.manifest(), candidate.files().source(), loader, deadline);
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
        List<String> own = Stream.concat(
                        plugin.factories().stream().map(ResourceFactoryProvider::name),
                        plugin.policies().stream().map(PoolPolicyProvider::name))
                .toList();
        Map<String, String> taken = new HashMap<>();
        for (String name : own) {
            String owner = names.get(name);
            if (owner != null) {
                throw new PluginLoadException(
                        "the name " + name + " is " + owner + "; factories and policies have one name each"
                                + " over all plugins, so the plugin must call its own differently");
            }
            if (taken.put(name, "that of plugin " + plugin.manifest().id()) != null) {
                throw new PluginLoadException("the name " + name
                        + " is that of a factory and of a policy of this plugin;" + " names must differ");
            }
        }
        names.putAll(taken);
    }

    private static void close(PluginClassLoader loader) {
        try {
            loader.close();
        } catch (IOException e) {
            LOG.warn("the jars of {} were not closed: {}", loader.getName(), IoReason.of(e));
        }
    }

    /** An unexpected failure, too, rejects this plugin only. */
    private void reject(String name, PluginFiles files, Exception e) {
        String cause = e instanceof PluginLoadException problem ? problem.describe() : OneLine.of(e);
        rejected.add(new RejectedPlugin(name, files.source(), cause));
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

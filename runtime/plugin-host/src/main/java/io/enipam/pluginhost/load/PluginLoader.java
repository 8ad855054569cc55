package io.enipam.pluginhost.load;

import io.enipam.config.IoReason;
import io.enipam.pluginhost.load.LoadedPlugin.Origin;
import io.enipam.pluginhost.load.LoadedPlugin.PluginManifest;
import io.enipam.pluginhost.load.PluginCatalog.PluginLoadException;
import io.enipam.pluginhost.load.PluginCatalog.PluginSearchPath;
import io.enipam.pluginhost.load.PluginCatalog.RejectedPlugin;
import io.enipam.pluginhost.load.PluginFinder.PluginFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds plugins and checks their files without running their code, and loads one of them. Keeps no plugin. Thread-safe, but for
 * {@link #load}, which must have one caller at a time.
 *
 * @param deadline how long the entry point of a plugin may take
 */
record PluginLoader(String sdkVersion, Duration deadline, TrustedPathCheck replaceable, LoadingRecord record) {
    private static final Logger LOG = LoggerFactory.getLogger(PluginLoader.class);

    /** @throws IllegalArgumentException if the SDK's version is none */
    PluginLoader {
        PluginIdentity.release(sdkVersion);
    }

    /** A plugin whose files are in order, and whose code has not run. */
    record Candidate(PluginManifest manifest, PluginFiles files) {
        String id() {
            return manifest.id();
        }
    }

    /**
     * @param candidates by id
     * @param rejected in the order in which they were found
     */
    record Found(TreeMap<String, Candidate> candidates, List<RejectedPlugin> rejected) {}

    Found find(PluginSearchPath places) {
        PluginFinder.Found files = PluginFinder.find(places);
        Found found = new Found(new TreeMap<>(), new ArrayList<>(files.rejected()));
        for (PluginFiles plugin : files.plugins()) {
            check(plugin, found);
        }
        addExamples(places, found);
        return found;
    }

    private void addExamples(PluginSearchPath places, Found found) {
        PluginFinder.Found files = PluginFinder.examples(places);
        Found examples = new Found(new TreeMap<>(), new ArrayList<>(files.rejected()));
        files.plugins().forEach(plugin -> check(plugin, examples));
        examples.candidates().forEach(found.candidates()::putIfAbsent);
        examples.rejected()
                .forEach(plugin -> LOG.info("the example {} is passed over: {}", plugin.source(), plugin.cause()));
    }

    private void check(PluginFiles files, Found found) {
        String name = files.name();
        try {
            replaceable.refuse(files);
            PluginIdentity identity = PluginIdentity.of(files);
            name = identity.id();
            PluginManifest manifest = identity.manifest(sdkVersion);
            identity.requireOneEntryPoint();
            Map<String, Candidate> byId = found.candidates();
            Candidate first = byId.putIfAbsent(name, new Candidate(manifest, files));
            if (first != null) {
                throw new PluginLoadException("plugin " + name + " is there twice, and "
                        + first.files().source() + " was found first; remove one of the two");
            }
        } catch (PluginLoadException | RuntimeException e) {
            found.rejected().add(rejected(name, files.source(), e));
        }
    }

    /** An unexpected failure, too, rejects this plugin only. */
    static RejectedPlugin rejected(String name, Path source, Exception e) {
        String cause = e instanceof PluginLoadException problem ? problem.describe() : OneLine.of(e);
        return new RejectedPlugin(name, source, cause);
    }

    /** Runs the plugin's entry point, and blocks until it has answered or its deadline is over. */
    LoadedPlugin load(Candidate candidate) throws PluginLoadException {
        PluginFiles files = candidate.files();
        Origin origin = new Origin(files.source(), files.fingerprint());
        PluginClassLoader loader = open(candidate);
        try {
            LoadingRecord.Mark mark = record.begin(candidate.id(), origin.fingerprint());
            return EntryPoint.load(candidate, origin, loader, mark, deadline);
        } catch (PluginLoadException | RuntimeException e) {
            close(loader);
            throw e;
        }
    }

    /** A plugin's files as they are now, to load it anew; it is no longer set aside. */
    Candidate findAnew(PluginSearchPath places, String id) throws PluginLoadException {
        Found now = find(places);
        Candidate candidate = now.candidates().get(id);
        if (candidate == null) {
            throw new PluginLoadException(now.rejected().stream()
                    .filter(plugin -> plugin.name().equals(id))
                    .findFirst()
                    .map(RejectedPlugin::cause)
                    .orElse("no plugin of this id is where plugins are looked for"));
        }
        record.forget(id);
        return candidate;
    }

    private static PluginClassLoader open(Candidate candidate) throws PluginLoadException {
        try {
            return PluginClassLoader.open(
                    candidate.id(), candidate.files().jars(), PluginLoader.class.getClassLoader());
        } catch (IOException | SecurityException e) {
            throw new PluginLoadException("a jar of " + candidate.files().source() + " cannot be opened: "
                    + (e instanceof IOException io ? IoReason.withFile(io) : OneLine.of(e)));
        }
    }

    static void close(PluginClassLoader loader) {
        try {
            loader.close();
        } catch (IOException e) {
            LOG.warn("the jars of {} were not closed: {}", loader.getName(), IoReason.of(e));
        }
    }
}

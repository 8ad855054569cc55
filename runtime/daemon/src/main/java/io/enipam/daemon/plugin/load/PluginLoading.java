package io.enipam.daemon.plugin.load;

import io.enipam.sdk.IpamPlugin;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run over all plugins: first every manifest, then, in the order of their ids, the plugins. Not thread-safe. */
final class PluginLoading {
    private static final Logger LOG = LoggerFactory.getLogger(PluginLoading.class);

    private final String sdkVersion;
    private final Duration deadline;
    private final Set<String> reserved;
    private final List<Candidate> candidates = new ArrayList<>();
    private final Set<Path> seen = new HashSet<>();
    private final List<LoadedPlugin> loaded = new ArrayList<>();
    private final List<RejectedPlugin> rejected = new ArrayList<>();

    private record Candidate(PluginFiles files, PluginManifest manifest) {}

    PluginLoading(String sdkVersion, Set<String> reservedNames, Duration deadline) {
        this.sdkVersion = sdkVersion;
        this.reserved = Set.copyOf(reservedNames);
        this.deadline = deadline;
    }

    /** Reads a plugin's manifest; loads no class. The same files a second time change nothing. */
    void add(PluginFiles files) {
        if (!seen.add(files.source().toAbsolutePath().normalize())) {
            return;
        }
        try {
            files.requireSafe();
            candidates.add(new Candidate(files, files.manifest()));
        } catch (PluginRejection e) {
            rejected.add(new RejectedPlugin(files.name(), files.source(), String.valueOf(e.getMessage())));
        }
    }

    void reject(Path source, String cause) {
        rejected.add(new RejectedPlugin(String.valueOf(source.getFileName()), source, cause));
    }

    PluginCatalog load() {
        Map<String, Path> ids = new HashMap<>();
        candidates.sort(Comparator.comparing(candidate -> candidate.manifest().id()));
        for (Candidate candidate : candidates) {
            String id = candidate.manifest().id();
            Path source = candidate.files().source();
            try {
                Path other = ids.putIfAbsent(id, source);
                if (other != null) {
                    throw new PluginRejection("its id is that of the plugin in " + other + "; remove one of the two");
                }
                candidate.manifest().requireFor(sdkVersion);
                loaded.add(load(candidate));
            } catch (PluginRejection e) {
                rejected.add(new RejectedPlugin(id, source, String.valueOf(e.getMessage())));
            }
        }
        return new PluginCatalog(loaded, rejected);
    }

    private LoadedPlugin load(Candidate candidate) throws PluginRejection {
        PluginManifest manifest = candidate.manifest();
        PluginClassLoader loader =
                new PluginClassLoader(manifest.id(), urls(candidate.files().jars()), IpamPlugin.class.getClassLoader());
        boolean used = false;
        try {
            LoadedPlugin plugin = inTime(new PluginAssembly(candidate.files(), manifest, loader));
            requireNewNames("policy", plugin.policies().keySet(), LoadedPlugin::policies);
            requireNewNames("factory", plugin.factories().keySet(), LoadedPlugin::factories);
            used = true;
            return plugin;
        } finally {
            if (!used) {
                close(loader);
            }
        }
    }

    /** Runs the plugin's code on a thread of its own: one that hangs is left behind. */
    private LoadedPlugin inTime(PluginAssembly assembly) throws PluginRejection {
        FutureTask<LoadedPlugin> task = new FutureTask<>(assembly::assemble);
        Thread thread = new Thread(task, "plugin-" + assembly.id() + "-load");
        thread.setDaemon(true);
        thread.setContextClassLoader(assembly.loader());
        thread.start();
        try {
            return task.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof PluginRejection rejection) {
                throw rejection;
            }
            throw new PluginRejection("it threw while it was loaded: " + oneLine(rootOf(e.getCause())), e.getCause());
        } catch (TimeoutException e) {
            thread.interrupt();
            throw new PluginRejection("it did not say within " + deadline.toMillis() + " ms what it brings; its"
                    + " constructor and the methods of IpamPlugin shall do no work");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PluginRejection("loading was interrupted", e);
        }
    }

    private void requireNewNames(String what, Set<String> names, Function<LoadedPlugin, Map<String, ?>> there)
            throws PluginRejection {
        for (String name : new TreeSet<>(names)) {
            if (reserved.contains(name)) {
                throw new PluginRejection("it brings a " + what + " '" + name + "', which is a name of enipam's own");
            }
            for (LoadedPlugin other : loaded) {
                if (there.apply(other).containsKey(name)) {
                    throw new PluginRejection(
                            "it brings a " + what + " '" + name + "', and so does plugin " + other.id());
                }
            }
        }
    }

    private static URL[] urls(List<Path> jars) throws PluginRejection {
        URL[] urls = new URL[jars.size()];
        for (int i = 0; i < urls.length; i++) {
            try {
                urls[i] = jars.get(i).toUri().toURL();
            } catch (MalformedURLException e) {
                throw new PluginRejection("the path of " + jars.get(i) + " cannot be a URL", e);
            }
        }
        return urls;
    }

    private static void close(PluginClassLoader loader) {
        try {
            loader.close();
        } catch (IOException e) {
            LOG.debug("the jars of {} cannot be released", loader.getName(), e);
        }
    }

    private static Throwable rootOf(Throwable thrown) {
        Throwable root = thrown;
        for (int depth = 0; root.getCause() != null && depth < 20; depth++) {
            root = root.getCause();
        }
        return root;
    }

    private static String oneLine(Throwable thrown) {
        String text = String.valueOf(thrown).replaceAll("\\p{Cntrl}+", " ");
        return text.length() <= 300 ? text : text.substring(0, 297) + "...";
    }
}

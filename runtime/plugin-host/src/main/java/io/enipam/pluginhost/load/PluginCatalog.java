package io.enipam.pluginhost.load;

import io.enipam.pluginhost.load.LoadedPlugin.PluginManifest;
import io.enipam.pluginhost.load.PluginLoader.Candidate;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The plugins of a daemon: those that can be used, those that cannot with the cause, and those that are not loaded yet.
 *
 * <p>A plugin is loaded when something asks for it by its id, or by the name of a policy or factory that no loaded one has; a thread
 * of its own loads the others ({@link #loadRest}). So a start waits for the plugins that it needs, and for no other.
 *
 * <p>Plugins are loaded one after the other, as the {@link LoadingRecord} demands: {@link #loading} is held while the code of one
 * runs, for as long as its deadline at most. {@code this} guards the fields, and is never held while a plugin's code runs. Thread-safe.
 */
public final class PluginCatalog implements AutoCloseable {
    private final PluginSearchPath places;
    private final PluginLoader loader;
    private final ReentrantLock loading = new ReentrantLock();
    private final TreeMap<String, Candidate> waiting;
    private final TreeMap<String, LoadedPlugin> loaded = new TreeMap<>();
    private final List<RejectedPlugin> rejected;
    /** Which plugin has a name of a factory or policy, for messages. */
    private final Map<String, String> names = new HashMap<>();

    private Follower follower = new Follower() {};
    private @Nullable Thread background;
    private boolean closed;

    private PluginCatalog(PluginSearchPath places, PluginLoader loader, Set<String> reservedNames) {
        PluginLoader.Found found = loader.find(places);
        this.places = places;
        this.loader = loader;
        this.waiting = found.candidates();
        this.rejected = found.rejected();
        reservedNames.forEach(name -> names.put(name, "the daemon's own"));
    }

    /**
     * Finds all plugins, and runs no code of theirs. Whatever is wrong with one makes it a rejected one, and the others go
     * on. Of two plugins with one id the one found first is used: named before installed, installed before the class path.
     * Factories, policies and extensions share one set of names; of two plugins that use one name the one that is loaded first has it,
     * which is the first by id unless the other one was asked for.
     *
     * @param sdkVersion the semantic version of the SDK in this daemon; a pre-release counts as its release
     * @param reservedNames names of factories, policies and extensions that no plugin may use
     * @param deadline how long the entry point of each plugin may take
     * @throws IllegalArgumentException if the SDK's version is none
     */
    public static PluginCatalog find(
            PluginSearchPath places,
            String sdkVersion,
            Set<String> reservedNames,
            Duration deadline,
            LoadingRecord record) {
        return find(
                places,
                reservedNames,
                new PluginLoader(sdkVersion, deadline, TrustedPathCheck.ofThisProcess(), record));
    }

    static PluginCatalog find(PluginSearchPath places, Set<String> reservedNames, PluginLoader loader) {
        return new PluginCatalog(places, loader, reservedNames);
    }

    /** The catalog of a daemon without plugins. */
    public static PluginCatalog empty() {
        PluginSearchPath nowhere =
                new PluginSearchPath(Optional.empty(), List.of(), ClassLoader.getPlatformClassLoader());
        return find(nowhere, "0.0.0", Set.of(), Duration.ofSeconds(1), LoadingRecord.none());
    }

    /** Receives what becomes of each plugin, in order, under the catalog's lock: it must not block, nor ask the catalog. */
    public interface Follower {
        default void loaded(LoadedPlugin plugin) {}

        default void rejected(RejectedPlugin plugin) {}
    }

    /** Tells the only follower what is loaded and rejected already, and what will be. */
    public synchronized void follow(Follower one) {
        follower = one;
        plugins().forEach(one::loaded);
        rejected.forEach(one::rejected);
    }

    /** Those that are loaded, by id. */
    public synchronized List<LoadedPlugin> plugins() {
        return List.copyOf(loaded.values());
    }

    /** First those whose files say enough, in the order in which they were found, then those whose code ran, as they were loaded. */
    public synchronized List<RejectedPlugin> rejected() {
        return List.copyOf(rejected);
    }

    /** Those that are not loaded yet, by id. */
    public synchronized List<WaitingPlugin> waiting() {
        return waiting.values().stream()
                .map(candidate -> new WaitingPlugin(
                        candidate.manifest(), candidate.files().source()))
                .toList();
    }

    /** All of them at one moment. */
    public synchronized Snapshot snapshot() {
        return new Snapshot(waiting(), plugins(), rejected());
    }

    /** The plugin with an id, which is loaded if it was not; blocks. Empty if there is none, or it cannot be loaded. */
    public Optional<LoadedPlugin> plugin(String id) {
        if (isWaiting(id)) {
            load(id);
        }
        synchronized (this) {
            return Optional.ofNullable(loaded.get(id));
        }
    }

    private synchronized boolean isWaiting(String id) {
        return waiting.containsKey(id);
    }

    /**
     * The plugin with a policy or factory of this name. If none of the loaded ones has it, the others are loaded until one has it;
     * blocks. Empty if none has it.
     */
    public Optional<LoadedPlugin> offering(String name) {
        while (true) {
            Optional<String> next;
            synchronized (this) {
                Optional<LoadedPlugin> known = plugins().stream()
                        .filter(plugin -> namesOf(plugin).anyMatch(name::equals))
                        .findFirst();
                next = waiting.keySet().stream().findFirst();
                if (known.isPresent() || next.isEmpty()) {
                    return known;
                }
            }
            load(next.get());
        }
    }

    /** Loads all that are not loaded yet; blocks. */
    public PluginCatalog loadAll() {
        for (WaitingPlugin plugin : waiting()) {
            load(plugin.manifest().id());
        }
        return this;
    }

    /** Begins to load all that are not loaded yet, on a thread of its own, which ends when that is done. */
    public synchronized void loadRest() {
        if (!closed && background == null) {
            background = new Thread(this::loadAll, "plugin-loading");
            background.setDaemon(true);
            background.start();
        }
    }

    /** Waits until no plugin is left to load; false if that takes longer. */
    public synchronized boolean awaitAll(Duration most) throws InterruptedException {
        long end = System.nanoTime() + most.toNanos();
        for (long left = most.toNanos(); !waiting.isEmpty() && left > 0; left = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return waiting.isEmpty();
    }

    private void load(String id) {
        loading.lock();
        try {
            Candidate candidate;
            synchronized (this) {
                candidate = waiting.get(id);
            }
            // null if another thread was first
            if (candidate != null) {
                load(candidate);
            }
        } finally {
            loading.unlock();
        }
    }

    private void load(Candidate candidate) {
        try {
            LoadedPlugin plugin = loader.load(candidate);
            try {
                add(plugin);
            } catch (PluginLoadException e) {
                PluginLoader.close(plugin.loader());
                throw e;
            }
        } catch (PluginLoadException | RuntimeException e) {
            reject(PluginLoader.rejected(candidate.id(), candidate.files().source(), e));
        }
    }

    private synchronized void add(LoadedPlugin plugin) throws PluginLoadException {
        if (closed) {
            throw new PluginLoadException("the daemon is being stopped");
        }
        names.putAll(freeNames(plugin));
        keep(plugin);
    }

    private void keep(LoadedPlugin plugin) {
        String id = plugin.manifest().id();
        waiting.remove(id);
        loaded.put(id, plugin);
        follower.loaded(plugin);
        notifyAll();
    }

    private synchronized void reject(RejectedPlugin plugin) {
        if (!closed) {
            waiting.remove(plugin.name());
            rejected.add(plugin);
            follower.rejected(plugin);
            notifyAll();
        }
    }

    /** All its names, if no other plugin has one of them. */
    private Map<String, String> freeNames(LoadedPlugin plugin) throws PluginLoadException {
        Map<String, String> taken = new HashMap<>();
        String own = ownerOf(plugin.manifest().id());
        for (String name : namesOf(plugin).toList()) {
            String owner = names.get(name);
            if (owner != null && !owner.equals(own)) {
                throw new PluginLoadException(
                        "the name " + name + " is " + owner + "; factories and policies have one name each"
                                + " over all plugins, so the plugin must call its own differently");
            }
            if (taken.put(name, own) != null) {
                throw new PluginLoadException("the name " + name
                        + " is that of a factory and of a policy of this plugin;" + " names must differ");
            }
        }
        return taken;
    }

    private static String ownerOf(String id) {
        return "that of plugin " + id;
    }

    private static Stream<String> namesOf(LoadedPlugin plugin) {
        return plugin.parts().names().stream();
    }

    /**
     * Loads a plugin from the files that are there now, beside the one that is loaded; blocks. Nothing is changed until {@link #use}.
     *
     * @throws PluginLoadException if it cannot be loaded
     */
    public LoadedPlugin loadAnew(String id) throws PluginLoadException {
        loading.lock();
        try {
            LoadedPlugin fresh = loader.load(loader.findAnew(places, id));
            try {
                synchronized (this) {
                    freeNames(fresh);
                }
            } catch (PluginLoadException e) {
                discard(fresh);
                throw e;
            }
            return fresh;
        } finally {
            loading.unlock();
        }
    }

    /**
     * Puts a plugin in the place of the one of its id, whether that was loaded, rejected or waits. The former one is not closed.
     *
     * @throws PluginLoadException if a plugin was loaded meanwhile that has one of its names, or the catalog is closed
     */
    public synchronized void use(LoadedPlugin plugin) throws PluginLoadException {
        String id = plugin.manifest().id();
        Map<String, String> taken = freeNames(plugin);
        if (closed) {
            throw new PluginLoadException("the daemon is being stopped");
        }
        names.values().removeIf(ownerOf(id)::equals);
        names.putAll(taken);
        rejected.removeIf(other -> other.name().equals(id));
        keep(plugin);
    }

    /** Releases the jars of a plugin that is not used. */
    public void discard(LoadedPlugin plugin) {
        PluginLoader.close(plugin.loader());
    }

    /** The ids of loaded plugins whose jars are others now than those that were loaded. Looks at the files. */
    public List<String> replacedOnDisk() {
        Map<String, Candidate> now = loader.find(places).candidates();
        return plugins().stream()
                .filter(plugin -> Optional.ofNullable(now.get(plugin.manifest().id()))
                        .map(files -> !files.files()
                                .fingerprint()
                                .equals(plugin.origin().fingerprint()))
                        .orElse(true))
                .map(plugin -> plugin.manifest().id())
                .toList();
    }

    /** Loads no more, and releases the jars of all plugins. What they opened is not closed, and their threads are not stopped. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            waiting.clear();
            notifyAll();
            if (background != null) {
                background.interrupt();
            }
        }
        plugins().forEach(plugin -> PluginLoader.close(plugin.loader()));
    }

    /**
     * Where plugins are looked for. A plugin that is found on two ways, by the same real path, is one plugin.
     *
     * @param directory each directory in it that holds jars, and each jar in it, is a plugin; other files and names that start
     *     with a dot are passed over, symbolic links are followed, and a directory that is missing is an empty one
     * @param named jars, or directories of jars, that the operator named one by one: one that is missing is a rejected plugin
     * @param classPath every jar it sees that offers an {@link io.enipam.sdk.IpamPlugin} as a service is a plugin of that jar
     *     alone; its classes are loaded anew, never through this loader
     * @param examples jars, or directories of jars, that give way to any other plugin of their id; one that cannot be used is
     *     passed over
     */
    public record PluginSearchPath(
            Optional<Path> directory, List<Path> named, ClassLoader classPath, List<Path> examples) {
        public PluginSearchPath {
            named = List.copyOf(named);
            examples = List.copyOf(examples);
        }

        public PluginSearchPath(Optional<Path> directory, List<Path> named, ClassLoader classPath) {
            this(directory, named, classPath, List.of());
        }
    }

    /**
     * A plugin that was found and is not used. Holds nothing of the plugin.
     *
     * @param name its id, or the name of its file where the id is not known or not an id
     * @param cause what failed, why, and what to do, in one line of printable text
     */
    public record RejectedPlugin(String name, Path source, String cause) {}

    /** A plugin whose code has not run yet, or runs now. */
    public record WaitingPlugin(PluginManifest manifest, Path source) {}

    /** Each plugin is in one of the three. */
    public record Snapshot(List<WaitingPlugin> waiting, List<LoadedPlugin> loaded, List<RejectedPlugin> rejected) {}

    /** One plugin cannot be used; the message is for the operator. */
    public static final class PluginLoadException extends Exception {
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

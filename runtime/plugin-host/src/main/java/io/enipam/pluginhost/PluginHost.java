package io.enipam.pluginhost;

import com.google.common.base.Suppliers;
import io.enipam.config.DaemonConfig;
import io.enipam.config.KnownPlugins;
import io.enipam.config.Schema;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.Leadership;
import io.enipam.engine.port.PolicyPort;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.platform.EngineThread.StuckThreadListener;
import io.enipam.pluginhost.HostPluginContext.LiveSettings;
import io.enipam.pluginhost.HostPluginContext.Surroundings;
import io.enipam.pluginhost.SharedFactory.OpenedFactory;
import io.enipam.pluginhost.controller.Controllers;
import io.enipam.pluginhost.endpoint.Endpoints;
import io.enipam.pluginhost.extension.Claims;
import io.enipam.pluginhost.extension.Effects;
import io.enipam.pluginhost.extension.Extensions;
import io.enipam.pluginhost.extension.Extensions.Candidate;
import io.enipam.pluginhost.extension.Voting;
import io.enipam.pluginhost.guard.GuardLimits;
import io.enipam.pluginhost.guard.GuardedCalls;
import io.enipam.pluginhost.guard.PluginGuard;
import io.enipam.pluginhost.guard.PluginGuard.PluginHealth;
import io.enipam.pluginhost.load.LoadedPlugin;
import io.enipam.pluginhost.load.PluginCatalog;
import io.enipam.pluginhost.load.PluginCatalog.RejectedPlugin;
import io.enipam.pluginhost.operator.PluginSignals;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceFactoryProvider;
import io.enipam.sdk.Settings;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * All plugins with their guards, and the one place where policies and factories are opened, built-in ones included. Extensions
 * are opened by {@link Extensions}. Thread-safe; opening blocks for as long as {@value #OPEN_SECONDS} s.
 */
public final class PluginHost implements AutoCloseable {
    private static final int OPEN_SECONDS = 10;
    private static final Duration OPEN = Duration.ofSeconds(OPEN_SECONDS);

    private final PluginCatalog catalog;
    private final BuiltIns builtIns;
    private final Supplier<DaemonConfig> config;
    private final PluginStorage storage;
    private final TimeSource time;
    private final EventSink events;
    private final List<GuardedPlugin> units = new CopyOnWriteArrayList<>();
    private final Function<LoadedPlugin, GuardedPlugin> newUnit;
    /** Whose policies and factories are opened before the catalog has it. */
    private volatile Optional<GuardedPlugin> next = Optional.empty();

    private final SharedFactories factories;
    private final Extensions extensions;
    private final Map<String, PluginSignals> signals = new ConcurrentHashMap<>();
    private final Function<String, PluginSignals> newSignals;
    private final Effects effects;
    private final Claims claims;
    private final Voting voting;
    private final Endpoints endpoints;
    private final Controllers controllers;

    /**
     * @param config the configuration in force
     * @param storage where plugins keep what outlives them, and on which node
     * @param stuck receives the engine's threads that a plugin holds
     */
    public PluginHost(
            PluginCatalog catalog,
            BuiltIns builtIns,
            Supplier<DaemonConfig> config,
            PluginStorage storage,
            TimeSource time,
            Scheduler scheduler,
            StuckThreadListener stuck,
            EventSink events) {
        this.catalog = catalog;
        this.builtIns = builtIns;
        this.config = config;
        this.storage = storage;
        this.time = time;
        this.events = events;
        this.newSignals = id -> new PluginSignals(id, () -> calls(id), time, scheduler, events);
        this.factories = new SharedFactories(this::opener, this::factories, scheduler);
        this.extensions = new Extensions(time, scheduler, events, new SplittableRandom());
        this.effects = new Effects(storage.leadership(), time, scheduler, new SplittableRandom());
        this.claims = new Claims(extensions, effects, storage.leadership(), time, scheduler, events);
        this.controllers =
                new Controllers(effects, storage.leadership(), time, scheduler, events, new SplittableRandom());
        // before the effects, whose steps it has recorded
        extensions.follow(controllers);
        extensions.follow(effects);
        extensions.follow(claims);
        this.voting = new Voting(storage.leadership(), extensions, scheduler, new SplittableRandom());
        this.endpoints = new Endpoints(time, scheduler, events, new SplittableRandom());
        extensions.follow(voting);
        extensions.follow(endpoints);
        this.newUnit = plugin -> new GuardedPlugin(plugin, guard(plugin, scheduler, stuck), time.now());
        catalog.follow(new PluginCatalog.Follower() {
            @Override
            public void loaded(LoadedPlugin plugin) {
                units.add(next.filter(unit -> unit.loaded() == plugin).orElseGet(() -> newUnit.apply(plugin)));
                extensions.add(candidates(unit(plugin)));
            }

            @Override
            public void rejected(RejectedPlugin plugin) {
                events.error(
                        "PluginRejected", plugin.name(), "plugin " + plugin.name() + " is not used: " + plugin.cause());
            }
        });
    }

    /** What configuration has to know to check what it says about plugins. It waits for those that it names. */
    public static KnownPlugins knownPlugins(PluginCatalog catalog, BuiltIns builtIns) {
        return new KnownPlugins(
                new InstalledPlugins(catalog),
                builtIns.policies().keySet(),
                builtIns.factories().keySet());
    }

    static <T> Set<String> names(List<T> parts, Function<T, String> name) {
        return parts.stream().map(name).collect(Collectors.toSet());
    }

    private PluginGuard guard(LoadedPlugin plugin, Scheduler scheduler, StuckThreadListener stuck) {
        String id = plugin.manifest().id();
        return new PluginGuard(
                id, plugin.loader(), GuardLimits.DEFAULT, time, scheduler, stuck, health -> told(id, health));
    }

    private void told(String id, PluginHealth health) {
        if (health.state() == PluginHealth.State.HEALTHY) {
            events.info("PluginRecovered", id, "plugin " + id + " answers again");
        } else {
            events.warning("PluginDegraded", id, "plugin " + id + ": " + health.cause());
        }
    }

    /** Loads what is not loaded yet, on a thread of its own: what the daemon needs to start is loaded by now. */
    public void loadRest() {
        catalog.loadRest();
    }

    /** Waits until what has a policy or factory of this name is loaded; a built-in one waits for no plugin. */
    void awaitOneWith(String name) {
        if (!builtIns.policies().containsKey(name) && !builtIns.factories().containsKey(name)) {
            catalog.offering(name);
        }
    }

    /** The names of policies, built-in ones and those of the plugins that are loaded. */
    TreeSet<String> policies() {
        TreeSet<String> names = new TreeSet<>(builtIns.policies().keySet());
        units.forEach(unit -> names.addAll(names(unit.loaded().parts().policies(), PoolPolicyProvider::name)));
        return names;
    }

    /** The same of factories. */
    TreeSet<String> factories() {
        TreeSet<String> names = new TreeSet<>(builtIns.factories().keySet());
        units.forEach(unit -> names.addAll(names(unit.loaded().parts().factories(), ResourceFactoryProvider::name)));
        return names;
    }

    List<GuardedPlugin> units() {
        return List.copyOf(units);
    }

    PluginCatalog catalog() {
        return catalog;
    }

    BuiltIns builtIns() {
        return builtIns;
    }

    /** The extensions; none runs before {@link Extensions#configure}. */
    public Extensions extensions() {
        return extensions;
    }

    /** Metrics and events of the plugins, by id. */
    public Collection<PluginSignals> signals() {
        return new TreeMap<>(signals).values();
    }

    /** Where a plugin is called for operators, by its id. */
    public GuardedCalls calls(String id) {
        return units.stream()
                .filter(unit -> unit.loaded().manifest().id().equals(id))
                .reduce((former, last) -> last)
                .orElseThrow()
                .guard()
                .calls();
    }

    /** What the parts that run have still to do outside. */
    public Effects effects() {
        return effects;
    }

    /** The controllers that run. */
    public Controllers controllers() {
        return controllers;
    }

    /** What the allocators that run have granted. */
    public Claims claims() {
        return claims;
    }

    /** Of this host among those that share the tables. */
    public Leadership leadership() {
        return storage.leadership();
    }

    /** What the parts that run have on ballots. */
    public Voting voting() {
        return voting;
    }

    /** The sockets of the parts that run. */
    public Endpoints endpoints() {
        return endpoints;
    }

    DaemonConfig config() {
        return config.get();
    }

    /** Opens the extensions that the configuration enables, beside whatever else is done, and closes the others. */
    public void configureExtensions(DaemonConfig now) {
        extensions.configure(
                Set.copyOf(now.get(Schema.EXTENSIONS)),
                extension -> units.stream()
                        .filter(unit -> unit.loaded().parts().extensions().contains(extension))
                        .filter(unit -> !now.hasUnreadPluginSettings(
                                unit.loaded().manifest().id()))
                        .findFirst()
                        .map(unit -> now.pluginSettings(
                                unit.loaded().manifest().id(), unit.loaded().settings()))
                        .orElseGet(() -> Settings.usual(List.of())));
    }

    private List<Candidate> candidates(GuardedPlugin unit) {
        return unit.loaded().parts().extensions().stream()
                .map(extension -> new Candidate(
                        unit.loaded().manifest().id(),
                        extension,
                        unit.guard().extension(extension.name()),
                        () -> context(unit, extension.name(), factories::open)))
                .toList();
    }

    /** @throws FactoryException if there is none of this name, or it cannot be opened */
    PolicyPort policy(String name) {
        Optional<Supplier<PoolPolicy>> builtIn =
                Optional.ofNullable(builtIns.policies().get(name));
        if (builtIn.isPresent()) {
            return new DirectPolicy(builtIn.get().get(), events);
        }
        GuardedPlugin unit = unit(name)
                .filter(plugin -> plugin.policy(name).isPresent())
                .orElseThrow(() -> new FactoryException(
                        ErrorKind.MISCONFIGURED,
                        "there is no policy '" + name + "'; there is " + String.join(", ", policies())));
        PoolPolicyProvider provider = unit.policy(name).orElseThrow();
        HostPluginContext context = context(unit, factories::open);
        PoolPolicy policy;
        try {
            policy = opened(unit, name, "policy", () -> provider.open(context), abandoned -> {});
        } catch (FactoryException e) {
            context.abandon();
            throw e;
        }
        return unit.guard().policy(policy, name);
    }

    /** @param another whether another one of the same name is in force */
    void release(PolicyPort policy, boolean another) {
        units.forEach(unit -> {
            if (unit.policy(policy.name()).isPresent()) {
                unit.guard().release(policy);
                if (!another) {
                    unit.closed(policy.name(), time.now());
                }
            }
        });
    }

    /** @throws FactoryException if there is none of this name, or it cannot be opened */
    NamedFactory factory(String name) {
        NamedFactory opened = factories.open(name);
        return new NamedFactory(name, opened.factory(), opened.provider(), isWithoutCloud(opened.provider()));
    }

    /** Whether a factory is a plugin's that has not asked for the cloud. */
    private boolean isWithoutCloud(String provider) {
        return !builtIns.factories().containsKey(provider)
                && unit(provider)
                        .map(unit -> unit.loaded().manifest().id())
                        .filter(builtIns.onCloud())
                        .isEmpty();
    }

    /** The plugin with a policy or factory of this name; waits for it to be loaded. */
    private Optional<GuardedPlugin> unit(String name) {
        return next.filter(unit ->
                        unit.policy(name).isPresent() || unit.factory(name).isPresent())
                .or(() -> catalog.offering(name).map(this::unit));
    }

    /** From now on this plugin's policies and factories are opened, though the catalog has another one of its id, or none. */
    GuardedPlugin prefer(LoadedPlugin plugin) {
        GuardedPlugin unit = newUnit.apply(plugin);
        next = Optional.of(unit);
        return unit;
    }

    /** From now on the catalog's plugins alone are opened. */
    void preferNone() {
        next = Optional.empty();
    }

    /** A plugin's factories that are open, for the pool or for others around them: {@link SharedFactories#hold}. */
    List<SharedFactories.Held> holdFactories(LoadedPlugin plugin) {
        return factories.hold(names(plugin.parts().factories(), ResourceFactoryProvider::name));
    }

    /** The names of the open factories that wrap this one, directly or not. */
    Set<String> factoriesAround(String name) {
        return factories.around(name);
    }

    GuardedPlugin unit(LoadedPlugin plugin) {
        return units.stream()
                .filter(unit -> unit.loaded() == plugin)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("plugin " + plugin + " has no guard"));
    }

    /** Ends a plugin that is not in the catalog any more: its threads, and its jars. */
    void retire(GuardedPlugin unit) {
        units.remove(unit);
        unit.guard().close();
        catalog.discard(unit.loaded());
    }

    /** Throws {@link IllegalArgumentException} if a plugin does not take the settings that it is given. */
    void checkSettings(LoadedPlugin plugin) {
        settingsOf(config.get(), plugin);
    }

    private static Settings settingsOf(DaemonConfig config, LoadedPlugin plugin) {
        String id = plugin.manifest().id();
        if (config.hasUnreadPluginSettings(id)) {
            throw new IllegalArgumentException("its settings were not read, since it could not be loaded at the start");
        }
        return config.pluginSettings(id, plugin.settings());
    }

    private Optional<SharedFactories.Opener> opener(String name) {
        Supplier<ResourceFactory> builtIn = builtIns.factories().get(name);
        return builtIn != null
                ? Optional.of(chain -> new OpenedFactory(builtIn.get(), name))
                : unit(name)
                        .flatMap(
                                unit -> unit.factory(name).map(provider -> chain -> open(unit, name, provider, chain)));
    }

    private OpenedFactory open(GuardedPlugin unit, String name, ResourceFactoryProvider provider, List<String> chain) {
        HostPluginContext context = context(unit, wrapped -> factories.open(wrapped, chain));
        ResourceFactory raw;
        try {
            raw = opened(unit, name, "factory", () -> provider.open(context), ResourceFactory::close);
        } catch (FactoryException e) {
            context.abandon();
            throw e;
        }
        ResourceFactory guarded;
        try {
            guarded = unit.guard().factory(raw, name);
        } catch (RuntimeException e) {
            unit.refused(name, String.valueOf(e.getMessage()), time.now());
            unit.closed(name, time.now());
            // it was never used: its end is not waited for
            unit.guard().calls().close(raw);
            throw e;
        }
        ResourceFactory told = new FactoryHandle(guarded, () -> {
            guarded.close();
            unit.closed(name, time.now());
        });
        return new OpenedFactory(
                told, context.provider().orElse(name), unit.guard().closed(guarded));
    }

    private HostPluginContext context(GuardedPlugin unit, Function<String, NamedFactory> wrapped) {
        return context(unit, "", wrapped);
    }

    private HostPluginContext context(GuardedPlugin unit, String part, Function<String, NamedFactory> wrapped) {
        String id = unit.loaded().manifest().id();
        LiveSettings settings;
        try {
            settings = new LiveSettings(config, now -> settingsOf(now, unit.loaded()));
        } catch (IllegalArgumentException e) {
            throw new FactoryException(ErrorKind.MISCONFIGURED, "plugin " + id + ": " + e.getMessage(), e);
        }
        Clock clock = ((InstantSource) time::now).withZone(ZoneOffset.UTC);
        return new HostPluginContext(
                part,
                new Surroundings(id, storage.node(), builtIns.services()),
                settings,
                clock,
                storage.directories().resolve(id),
                () -> storage.journals().apply(id, unit.guard().journalThread()),
                signals.computeIfAbsent(id, newSignals),
                wrapped);
    }

    /** Opens a part of a plugin on a thread of the plugin's; one that comes too late is given back. */
    private <T> T opened(GuardedPlugin unit, String name, String what, Callable<T> open, Consumer<T> giveBack) {
        try {
            T part = unit.guard()
                    .calls()
                    .open("opening " + what + " " + name, OPEN, open, giveBack)
                    .join();
            unit.opened(name, time.now());
            return part;
        } catch (CompletionException e) {
            Throwable cause = Stages.cause(e);
            String id = unit.loaded().manifest().id();
            String why = what + " " + name + " of plugin " + id + " cannot be opened: " + cause.getMessage();
            unit.refused(name, why, time.now());
            events.error("PluginFailed", id, why);
            ErrorKind kind = cause instanceof FactoryException refused ? refused.kind() : ErrorKind.INTERNAL;
            throw new FactoryException(kind, why, cause);
        }
    }

    /** Ends the plugins' threads and releases their jars. Their owners close what is open before that. */
    @Override
    public void close() {
        List<AutoCloseable> all = new ArrayList<>();
        all.add(extensions);
        units.forEach(unit -> all.add(unit.guard()));
        all.add(catalog);
        for (AutoCloseable one : all) {
            try {
                one.close();
            } catch (Exception e) {
                events.warning("PluginNotClosed", "plugins", "a plugin could not be closed: " + e);
            }
        }
    }

    /**
     * What ships with the daemon, and is trusted.
     *
     * @param policies by name
     * @param factories by name; a factory is asked for when it is needed, and again after it was closed
     * @param services by their type, which plugins see; given a plugin's id, when a part of it asks
     * @param onCloud whether the plugin with an id calls the cloud
     */
    public record BuiltIns(
            Map<String, Supplier<PoolPolicy>> policies,
            Map<String, Supplier<ResourceFactory>> factories,
            Map<Class<?>, Function<String, ?>> services,
            Predicate<String> onCloud) {
        /** The id under which they are listed beside the plugins. */
        public static final String ID = "builtin";

        public BuiltIns {
            policies = Map.copyOf(policies);
            factories = Map.copyOf(factories);
            services = Map.copyOf(services);
        }

        public BuiltIns(Map<String, Supplier<PoolPolicy>> policies, Map<String, Supplier<ResourceFactory>> factories) {
            this(policies, factories, Map.of(), plugin -> false);
        }

        /**
         * The same with a service for the parts of plugins, which all of them share.
         *
         * @param open called once, with the first part that asks; may throw {@link FactoryException}, and is called again then
         */
        public <T> BuiltIns offering(Class<T> type, Supplier<? extends T> open) {
            Supplier<? extends T> shared = Suppliers.memoize(open::get);
            return lending(type, plugin -> shared.get());
        }

        /**
         * The same with a service that each plugin has for itself.
         *
         * @param lend called with a plugin's id for each part that asks; may throw {@link FactoryException}
         */
        public <T> BuiltIns lending(Class<T> type, Function<String, ? extends T> lend) {
            Map<Class<?>, Function<String, ?>> all = new HashMap<>(services);
            all.put(type, lend);
            return new BuiltIns(policies, factories, all, onCloud);
        }

        /** @param calls whether the plugin with an id calls the cloud */
        public BuiltIns withPluginsOnCloud(Predicate<String> calls) {
            return new BuiltIns(policies, factories, services, calls);
        }
    }
}

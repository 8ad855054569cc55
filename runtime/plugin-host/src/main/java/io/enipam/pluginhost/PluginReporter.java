package io.enipam.pluginhost;

import io.enipam.config.DaemonConfig;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.pluginhost.PluginHost.BuiltIns;
import io.enipam.pluginhost.PluginReport.Counts;
import io.enipam.pluginhost.PluginReport.Part;
import io.enipam.pluginhost.PluginReport.Parts;
import io.enipam.pluginhost.PluginReport.SettingInForce;
import io.enipam.pluginhost.PluginReport.State;
import io.enipam.pluginhost.PluginReport.Status;
import io.enipam.pluginhost.controller.ControllerView;
import io.enipam.pluginhost.endpoint.Endpoints.EndpointView;
import io.enipam.pluginhost.extension.Extensions;
import io.enipam.pluginhost.extension.Extensions.ExtensionView;
import io.enipam.pluginhost.guard.PluginGuard.PluginHealth;
import io.enipam.pluginhost.load.LoadedPlugin;
import io.enipam.pluginhost.load.LoadedPlugin.PluginManifest;
import io.enipam.pluginhost.load.PluginCatalog.Snapshot;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.ResourceFactoryProvider;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Describes the plugins: those that were loaded, those that could not be, and what ships with the daemon. Thread-safe.
 *
 * @param version the daemon's, which what ships with it shares
 */
public record PluginReporter(
        PluginHost host, ActiveSelection inForce, IpamEngine engine, String version, Instant startedAt) {
    private static final Duration SETTLING = Duration.ofSeconds(2);

    /** All of them by id, what ships with the daemon first. */
    public List<PluginReport> all() {
        List<PluginReport> plugins = new ArrayList<>();
        Snapshot now = host.catalog().snapshot();
        Running running = new Running(
                host.extensions().all(), controllers(), host.endpoints().all(), engine.factories());
        now.waiting().forEach(plugin -> plugins.add(unloaded(plugin.manifest(), plugin.source(), State.LOADING, "")));
        now.loaded().forEach(plugin -> plugins.add(loaded(host.unit(plugin), running)));
        now.rejected()
                .forEach(plugin -> plugins.add(unloaded(
                        new PluginManifest(plugin.name(), "", ""), plugin.source(), State.FAILED, plugin.cause())));
        plugins.sort(Comparator.comparing(PluginReport::id));
        plugins.add(0, builtIn(running));
        return List.copyOf(plugins);
    }

    /** What all plugins run, read once for all of them: a controller has as many as a million keys to be counted. */
    private record Running(
            List<ExtensionView> extensions,
            List<ControllerView> controllers,
            List<EndpointView> endpoints,
            List<FactoryView> factories) {
        static <T> List<T> of(String plugin, List<T> all, Function<T, String> whose) {
            return all.stream().filter(one -> whose.apply(one).equals(plugin)).toList();
        }
    }

    /** The controllers that run, by extension. */
    public List<ControllerView> controllers() {
        return host.controllers().all();
    }

    /** Waits until every plugin is loaded or rejected, but not for long: one that hangs is then among those that are loading. */
    public PluginReporter settled() {
        try {
            host.catalog().awaitAll(SETTLING);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return this;
    }

    /** The ids of those whose jars are others now than those that were loaded. Looks at the files. */
    public List<String> replaced() {
        return host.catalog().replacedOnDisk();
    }

    /** @throws IpamException if there is none of this id */
    public PluginReport one(String id) {
        List<PluginReport> all = all();
        List<String> ids = all.stream().map(PluginReport::id).toList();
        return all.stream()
                .filter(plugin -> plugin.id().equals(id))
                .findFirst()
                .orElseThrow(
                        () -> DiagnosticRunner.unknown("plugin", id, ids, "'plugin list' shows the plugins there are"));
    }

    private PluginReport builtIn(Running running) {
        BuiltIns builtIns = host.builtIns();
        List<Part> policies = policies(builtIns.policies().keySet());
        List<Part> factories = factories(builtIns.factories().keySet(), name -> false, running);
        boolean active = policies.stream().anyMatch(PluginReporter::used)
                || factories.stream().anyMatch(PluginReporter::used);
        return new PluginReport(
                new PluginManifest(BuiltIns.ID, version, ""),
                BuiltIns.ID,
                new Status(active ? State.ACTIVE : State.LOADED, startedAt, ""),
                new Parts(policies, factories, List.of(), List.of(), List.of()),
                List.of(),
                List.of(),
                Counts.NONE);
    }

    private PluginReport loaded(GuardedPlugin unit, Running running) {
        LoadedPlugin plugin = unit.loaded();
        String id = plugin.manifest().id();
        List<ExtensionView> extensions = Running.of(id, running.extensions(), ExtensionView::plugin);
        return new PluginReport(
                plugin.manifest(),
                plugin.source().toString(),
                status(unit, extensions),
                new Parts(
                        policies(plugin.parts().policies().stream()
                                .map(PoolPolicyProvider::name)
                                .toList()),
                        factories(
                                plugin.parts().factories().stream()
                                        .map(ResourceFactoryProvider::name)
                                        .toList(),
                                unit::isOpen,
                                running),
                        extensions,
                        Running.of(id, running.controllers(), ControllerView::plugin),
                        Running.of(id, running.endpoints(), EndpointView::plugin)),
                settings(id, plugin.settings()),
                plugin.diagnostics(),
                counts(unit, extensions));
    }

    private PluginReport unloaded(PluginManifest manifest, Path source, State state, String cause) {
        return new PluginReport(
                manifest,
                source.toString(),
                new Status(state, startedAt, cause),
                Parts.NONE,
                List.of(),
                List.of(),
                Counts.NONE);
    }

    private List<Part> policies(Collection<String> names) {
        return new TreeSet<>(names)
                .stream()
                        .map(name -> new Part(name, name.equals(inForce.policyInForce()) ? "ACTIVE" : "CLOSED", 0, 0))
                        .toList();
    }

    private static List<Part> factories(Collection<String> names, Predicate<String> open, Running running) {
        return new TreeSet<>(names)
                .stream()
                        .map(name -> running.factories().stream()
                                .filter(view -> view.name().equals(name))
                                .findFirst()
                                .map(view -> new Part(name, view.role().name(), view.resources(), view.leases()))
                                .orElseGet(() -> new Part(name, open.test(name) ? "OPEN" : "CLOSED", 0, 0)))
                        .toList();
    }

    private static boolean used(Part part) {
        return !part.state().equals("CLOSED");
    }

    private List<SettingInForce> settings(String id, List<Setting<?>> schema) {
        DaemonConfig now = host.config();
        Settings values = now.pluginSettings(id, schema);
        return schema.stream()
                .<SettingInForce>map(setting -> shown(now, id, setting, values))
                .toList();
    }

    private static <T> SettingInForce shown(DaemonConfig now, String id, Setting<T> setting, Settings values) {
        return new SettingInForce(
                setting, setting.show(values.get(setting)), now.pluginSettingSource(id, setting.name()));
    }

    private static Status status(GuardedPlugin unit, List<ExtensionView> extensions) {
        PluginHealth health = unit.guard().health();
        if (unit.refusal().isPresent()) {
            return new Status(State.FAILED, unit.since(), unit.refusal().get());
        }
        Optional<ExtensionView> failed = extensions.stream()
                .filter(extension -> extension.state() == Extensions.State.FAILED)
                .findFirst();
        if (failed.isPresent()) {
            return new Status(State.FAILED, failed.get().since(), failed.get().cause());
        }
        if (health.state() == PluginHealth.State.DEGRADED) {
            return new Status(State.DEGRADED, health.since(), health.cause());
        }
        Instant since = extensions.stream()
                .map(ExtensionView::since)
                .reduce(unit.since(), (one, other) -> one.isAfter(other) ? one : other);
        return new Status(inUse(unit, extensions) ? State.ACTIVE : State.LOADED, since, "");
    }

    private static boolean inUse(GuardedPlugin unit, List<ExtensionView> extensions) {
        return unit.inUse() || extensions.stream().anyMatch(extension -> extension.state() == Extensions.State.RUNNING);
    }

    private static Counts counts(GuardedPlugin unit, List<ExtensionView> extensions) {
        // while something of it is open, its threads are its own business
        int leaked = inUse(unit, extensions) ? 0 : unit.guard().startedThreads();
        return new Counts(
                unit.guard().counters(),
                leaked,
                unit.loaded().loader().exitsStopped(),
                unit.guard().recentFailures());
    }
}

package io.enipam.pluginhost.testing;

import io.enipam.config.ConfigLoader;
import io.enipam.config.DaemonConfig;
import io.enipam.config.KnownPlugins;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.port.EventSink;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.pluginhost.ActiveSelection;
import io.enipam.pluginhost.DiagnosticRunner;
import io.enipam.pluginhost.PluginHost;
import io.enipam.pluginhost.PluginHost.BuiltIns;
import io.enipam.pluginhost.PluginReporter;
import io.enipam.pluginhost.PluginServices;
import io.enipam.pluginhost.PluginStorage;
import io.enipam.pluginhost.PluginStorage.HostNode;
import io.enipam.pluginhost.PluginSwapper;
import io.enipam.pluginhost.load.PluginCatalog;
import io.enipam.pluginhost.operator.OperatorParts;
import io.enipam.pluginhost.operator.PluginCommands;
import io.enipam.sdk.Role;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The plugin host of a daemon without plugins. */
public final class FakePlugins {
    private FakePlugins() {}

    /** @param directory where it keeps its files */
    public static PluginServices none(Path directory, IpamEngine engine, EventSink events) throws IOException {
        DaemonConfig config = ConfigLoader.load(List.of(), true, Map.of(), KnownPlugins.none());
        ExecutorScheduler scheduler = new ExecutorScheduler();
        SystemTime time = new SystemTime();
        BuiltIns builtIns = new BuiltIns(Map.of("watermark", WatermarkPolicy::new), Map.of("eni-ip", () -> {
            throw new IllegalStateException("nobody opens it");
        }));
        PluginHost host = new PluginHost(
                PluginCatalog.empty(),
                builtIns,
                () -> config,
                PluginStorage.withoutTables(new HostNode("node", Role.NODE), directory, "this daemon has no database"),
                time,
                scheduler,
                scheduler,
                events);
        ActiveSelection inForce = ActiveSelection.load(
                        host, directory.resolve("selection.json"), "watermark", "eni-ip", Runnable::run, events)
                .written();
        return new PluginServices(
                new PluginReporter(host, inForce, engine, "0.1.0", time.now()),
                new DiagnosticRunner(host, engine::snapshot),
                new PluginCommands(
                        new OperatorParts(Set.of(), host::calls, events), host.extensions()::opening, scheduler),
                new PluginSwapper(host, inForce, engine, events, Runnable::run),
                host.effects(),
                host.claims(),
                host.leadership(),
                host.voting());
    }
}

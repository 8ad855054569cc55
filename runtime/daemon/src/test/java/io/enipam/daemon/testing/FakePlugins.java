package io.enipam.daemon.testing;

import io.enipam.daemon.config.ConfigLoader;
import io.enipam.daemon.config.DaemonConfig;
import io.enipam.daemon.config.KnownPlugins;
import io.enipam.daemon.platform.ExecutorScheduler;
import io.enipam.daemon.platform.SystemTime;
import io.enipam.daemon.plugin.BuiltIns;
import io.enipam.daemon.plugin.DiagnosticRunner;
import io.enipam.daemon.plugin.ActiveSelection;
import io.enipam.daemon.plugin.PluginHost;
import io.enipam.daemon.plugin.PluginReporter;
import io.enipam.daemon.plugin.PluginServices;
import io.enipam.daemon.plugin.PluginSwapper;
import io.enipam.daemon.plugin.load.PluginCatalog;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.port.EventSink;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

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
                new PluginCatalog(List.of(), List.of()),
                builtIns,
                config,
                directory,
                time,
                scheduler,
                scheduler,
                events);
        ActiveSelection inForce = ActiveSelection.restore(
                host, directory.resolve("selection.json"), "watermark", "eni-ip", Runnable::run, events);
        return new PluginServices(
                new PluginReporter(host, inForce, engine, config, "0.1.0", time.now()),
                new DiagnosticRunner(host, config, engine::snapshot),
                new PluginSwapper(host, inForce, engine, events, Runnable::run));
    }
}

package io.enipam.daemon.testing;

import io.enipam.daemon.config.ConfigLoader;
import io.enipam.daemon.config.DaemonConfig;
import io.enipam.daemon.config.KnownPlugins;
import io.enipam.daemon.platform.ExecutorScheduler;
import io.enipam.daemon.platform.SystemTime;
import io.enipam.daemon.plugin.BuiltIns;
import io.enipam.daemon.plugin.Diagnostics;
import io.enipam.daemon.plugin.InForce;
import io.enipam.daemon.plugin.PluginHost;
import io.enipam.daemon.plugin.PluginReports;
import io.enipam.daemon.plugin.Plugins;
import io.enipam.daemon.plugin.Swaps;
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
    public static Plugins none(Path directory, IpamEngine engine, EventSink events) throws IOException {
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
        InForce inForce = InForce.restore(
                host, directory.resolve("selection.json"), "watermark", "eni-ip", Runnable::run, events);
        return new Plugins(
                new PluginReports(host, inForce, engine, config, "0.1.0", time.now()),
                new Diagnostics(host, config, engine::snapshot),
                new Swaps(host, inForce, engine, events, Runnable::run));
    }
}

package io.enipam.daemon;

import io.enipam.config.Schema;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.port.Leadership;
import io.enipam.frontends.rpc.ServiceContext.DaemonInfo;
import io.enipam.grammar.ReservedWords;
import io.enipam.kubernetes.cluster.ApiServerCluster;
import io.enipam.pluginhost.ActiveSelection;
import io.enipam.pluginhost.DiagnosticRunner;
import io.enipam.pluginhost.PluginHost;
import io.enipam.pluginhost.PluginHost.BuiltIns;
import io.enipam.pluginhost.PluginReporter;
import io.enipam.pluginhost.PluginServices;
import io.enipam.pluginhost.PluginStorage;
import io.enipam.pluginhost.PluginSwapper;
import io.enipam.pluginhost.load.PluginCatalog;
import io.enipam.pluginhost.operator.OperatorParts;
import io.enipam.pluginhost.operator.PluginCommands;
import io.enipam.sdk.cluster.Cluster;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;

/** The plugins: their host, and what of them is in force. */
final class PluginModule {
    final PluginHost host;
    final ActiveSelection inForce;

    PluginModule(BaseModule base, PluginCatalog catalog, BuiltIns builtIns, PluginStorage kept) throws IOException {
        host = base.opened.push(
                "plugins",
                new PluginHost(
                        catalog,
                        lendingCluster(base, kept.leadership(), builtIns),
                        base.live::now,
                        kept,
                        base.time,
                        base.scheduler,
                        base.scheduler,
                        base.events));
        inForce = base.opened.push(
                "factories",
                ActiveSelection.load(
                        host,
                        base.layout.selection(),
                        base.config.get(Schema.POLICY),
                        base.config.get(Schema.FACTORY),
                        base.blocking,
                        base.events));
        base.live.follow("the extensions of plugins", host::configureExtensions);
    }

    /**
     * Lends parts the cluster, where there is an API server. It is opened when a part first asks for it, and closed after the
     * plugins that are opened later.
     *
     * @param leadership by which parts write
     */
    private static BuiltIns lendingCluster(BaseModule base, Leadership leadership, BuiltIns builtIns) {
        return base.access
                .map(way -> {
                    AtomicReference<AutoCloseable> lent = new AtomicReference<>(() -> {});
                    base.opened.push("cluster of plugins", () -> lent.get().close());
                    return builtIns.offering(Cluster.class, () -> {
                        ApiServerCluster cluster =
                                new ApiServerCluster(way.calls(), leadership, base.time, base.scheduler);
                        lent.set(cluster);
                        return cluster;
                    });
                })
                .orElse(builtIns);
    }

    /** What the services ask about the plugins, and change of them. */
    PluginServices services(BaseModule base, IpamEngine engine, DaemonInfo info) {
        OperatorParts forOperators = new OperatorParts(ReservedWords.ALL, host::calls, base.events);
        host.extensions().follow(forOperators);
        host.controllers().traced(base.traces);
        return new PluginServices(
                new PluginReporter(host, inForce, engine, info.version(), base.time.now()),
                new DiagnosticRunner(host, engine::snapshot),
                new PluginCommands(forOperators, host.extensions()::opening, base.scheduler),
                new PluginSwapper(host, inForce, engine, base.events, base.blocking),
                host.effects(),
                host.claims(),
                host.leadership(),
                host.voting());
    }
}

package io.enipam.daemon;

import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.config.Schema;
import io.enipam.config.dynamic.LiveConfig;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.ResourceDb;
import io.enipam.frontends.rpc.ServiceContext.DaemonInfo;
import io.enipam.node.cluster.OwnerRecordingDatapath;
import io.enipam.node.overrides.CapacityOverrides;
import io.enipam.observability.history.History;
import io.enipam.pluginhost.ActiveSelection;
import io.enipam.pluginhost.PluginHost;
import io.enipam.pluginhost.PluginServices;
import io.enipam.recovery.DatabaseService;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The engine, and the operators' actions on it. */
final class EngineModule {
    private static final Logger LOG = LoggerFactory.getLogger(EngineModule.class);

    final IpamEngine engine;
    final History history;
    final DaemonInfo info;
    final PluginServices plugins;
    final DatabaseService database;
    final CapacityOverrides overrides;

    /** The modules that the engine needs. */
    record Foundation(
            BaseModule base,
            StorageModule storage,
            CloudModule cloud,
            CloudModule.Session session,
            SupplyModule supply,
            NodeModule node) {}

    /**
     * @param info of the daemon
     * @param restart closes this daemon so that another one continues in its place
     */
    EngineModule(Foundation on, EngineAssembly assembly, DaemonInfo info, Runnable restart) throws IOException {
        this.info = info;
        BaseModule base = on.base();
        on.session().pairs().addDatapath(on.node().kernel);
        ActiveSelection inForce = on.supply().plugins.inForce;
        // begins to open the cloud, beside the database, for which the rest waits
        FactorySet factories = inForce.openFactories();
        ResourceDb db = on.storage().db();
        PluginHost host = on.supply().plugins.host;
        EnginePorts ports = new EnginePorts(
                new EngineContext(base.time, base.scheduler, new SplittableRandom(), db, base.events, base.traces),
                on.node().pods,
                new OwnerRecordingDatapath(
                        on.node().kernel, on.supply().addresses, db.contents().leases(), base.events),
                factories,
                inForce.openPolicy(),
                host.claims(),
                on.session().machine().identity());
        host.extensions()
                .follow(part -> host.claims().all().stream()
                        .filter(claim -> claim.extension().equals(part.name()))
                        .forEach(claim -> claim.pod()
                                .ifPresent(pod ->
                                        on.node().pods.restore(pod, claim.held().uid()))));
        engine = on.cloud().meters.counting(assembly.engine().apply(base.config.engine(), ports));
        base.opened.push("engine", engine);
        on.cloud()
                .compareWith(again -> base.scheduler.execute(() -> {
                    if (again) {
                        new KernelProbes(on.node().kernel, db, engine).repairSoon(base.scheduler);
                    }
                    // an engine that is not ready yet reconciles before it is
                    engine.reconcile();
                }));
        follow(base.live, on);
        history = base.opened.push("history", new History(on.cloud().meters, engine::poolSummary, engine::status));
        plugins = on.supply().plugins.services(base, engine, info);
        database = on.storage().service(base, engine, info, restart);
        overrides =
                new CapacityOverrides(engine, base.layout.standingOrder(), base.time, base.events, base.overrideWrites);
        overrides.restore();
        overrides.warmUpOnFirstStart(base.config.get(Schema.WARM_UP), db.contents());
    }

    /** Subscribes those that keep state derived from the configuration. */
    private void follow(LiveConfig live, Foundation on) {
        // before the watermarks, so that resources they request are made with the new placement
        ApiCallLog calls = on.cloud().calls;
        live.follow(
                "the limits of calls", config -> calls.setLimits(config.calls().perMinute()));
        live.follow("the vSwitches", config -> on.session().shared().configure(config.enis()));
        live.follow("watermarks and intervals", config -> engine.reconfigure(config.engine()));
        live.follow("the service addresses", config -> on.session().services().refresh());
        live.addConditions(on.session().services()::refusals);
    }

    /**
     * Begins to recover; returns at once.
     *
     * @param serves run once the engine serves; does not block
     */
    void recover(Runnable serves, StartupEvents announcements) {
        engine.start().whenComplete((done, failure) -> {
            if (failure == null) {
                serves.run();
                return;
            }
            Throwable cause = Stages.cause(failure);
            LOG.debug("recovery ended early", cause);
            // it was cancelled: the daemon stopped before the cloud answered
            if (!(cause instanceof CancellationException)) {
                announcements.recoveryFailed(cause);
            }
        });
    }
}

package io.enipam.daemon;

import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.calls.ApiCallLog.ApiQuotaStatus;
import io.enipam.diagnostics.doctor.ConditionTracker;
import io.enipam.diagnostics.doctor.Doctor;
import io.enipam.diagnostics.doctor.PluginChecks;
import io.enipam.diagnostics.explain.Explainer;
import io.enipam.diagnostics.explain.PluginWords;
import io.enipam.diagnostics.explain.PluginWords.PluginSource;
import io.enipam.diagnostics.readiness.Troubles;
import io.enipam.diagnostics.sources.NodeSources;
import io.enipam.diagnostics.sources.OperatorQuota;
import io.enipam.diagnostics.sources.PodSource;
import io.enipam.diagnostics.sources.Sources;
import io.enipam.diagnostics.sources.compare.SourceComparison;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.port.TimeSource;
import io.enipam.frontends.rpc.ServiceContext;
import io.enipam.frontends.rpc.ServiceContext.Past;
import io.enipam.node.cloud.CloudAccess;
import io.enipam.pluginhost.PluginServices;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Assembles the inspection of a running daemon: the data of every source, their differences, explanations, and the
 * doctor.
 *
 * @param past what outlived former runs
 * @param socket the path of the control socket
 */
record QueryModule(EngineModule.Foundation on, EngineModule running, Past past, Path socket) {
    ServiceContext open() {
        BaseModule base = on.base();
        CloudAccess cloud = on.session().access();
        ApiCallLog calls = on.cloud().calls;
        IpamEngine engine = running.engine;
        TimeSource time = base.time;
        OperatorQuota share = new OperatorQuota(time, api -> budget(calls.quotaStatus(api)));
        Sources sources = base.opened.push("sources", sources(share));
        SourceComparison comparing = new SourceComparison(sources, base.scheduler);
        ConditionTracker watch = new ConditionTracker(
                time, engine::poolSummary, () -> engine.capacityOverride().kind() == CapacityOverride.Kind.DRAINED);
        base.blocking.scheduleWithFixedDelay(watch::look, 2, 2, TimeUnit.SECONDS);
        Troubles troubles = troubles();
        Doctor doctor = new DoctorModule(this, comparing, share, watch, troubles).doctor();
        base.opened.push("doctor", doctor);
        ServiceContext.Node node = new ServiceContext.Node(
                on.node().pods,
                on.node().kernel,
                on.node().inspector(),
                running.overrides,
                new ServiceContext.Cloud(cloud, cloud, this::trouble, on.cloud().control()),
                running.history,
                comparing,
                new Explainer(
                        comparing,
                        cloud::witness,
                        share,
                        new Explainer.Records(
                                base.events, calls, troubles::find, on.storage().leaseHistory()),
                        time,
                        engine::decide,
                        plugins()));
        return new ServiceContext(
                running.info,
                base.live,
                engine,
                running.plugins,
                troubles,
                new ServiceContext.Database(
                        on.storage().db(), running.database, on.storage().leaseHistory()),
                new ServiceContext.Diagnosis(
                        base.events,
                        base.traces,
                        past,
                        calls,
                        doctor,
                        ServiceContext.LastRun.of(base.starts, on.storage().contents())),
                Optional.of(node));
    }

    private PluginSource plugins() {
        PluginServices plugins = running.plugins;
        PluginChecks checks = new PluginChecks(plugins.commands().parts(), plugins.commands());
        return new PluginSource(
                () -> new PluginWords(plugins.claims().all(), plugins.effects().all(), List.of()),
                () -> checks.findings(on.base().time.now()));
    }

    private Troubles troubles() {
        return new Troubles(
                running.engine,
                on.storage().db(),
                on.node().kernel,
                this::trouble,
                on.cloud().meters.failedAdds()::series,
                running.info.emulated(),
                on.base().live::conditions,
                Optional.of(new Troubles.Node(
                        on.session().access()::enis,
                        on.node().inspector(),
                        () -> PodSource.all(on.node().pods, on.node().inspector()))));
    }

    private Optional<String> trouble() {
        return on.session().access().trouble().or(on.supply().plugins.inForce::trouble);
    }

    private static OperatorQuota.Budget budget(ApiQuotaStatus api) {
        return new OperatorQuota.Budget(api.quota().allowed(), api.quota().left());
    }

    private Sources sources(OperatorQuota share) {
        TimeSource time = on.base().time;
        CloudAccess cloud = on.session().access();
        return new Sources(
                List.of(
                        NodeSources.database(on.storage().db()),
                        NodeSources.pool(running.engine),
                        NodeSources.enis(cloud, cloud::used),
                        NodeSources.cloud(cloud, share, time),
                        NodeSources.kernel(on.node().kernel),
                        on.node().inspector().map(PodSource::of).orElseGet(() -> PodSource.of(on.node().pods))),
                time,
                on.base().scheduler);
    }
}

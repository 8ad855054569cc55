package io.enipam.daemon;

import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.calls.ApiQuotaStatus;
import io.enipam.config.dynamic.LiveConfig;
import io.enipam.diagnostics.doctor.ConditionTracker;
import io.enipam.diagnostics.doctor.Doctor;
import io.enipam.diagnostics.doctor.StartLog;
import io.enipam.diagnostics.explain.Explainer;
import io.enipam.diagnostics.readiness.AddReadiness;
import io.enipam.diagnostics.sources.ApiServerSource;
import io.enipam.diagnostics.sources.CloudSource;
import io.enipam.diagnostics.sources.DatabaseSource;
import io.enipam.diagnostics.sources.EniSource;
import io.enipam.diagnostics.sources.KernelSource;
import io.enipam.diagnostics.sources.OperatorQuota;
import io.enipam.diagnostics.sources.PoolSource;
import io.enipam.diagnostics.sources.Sources;
import io.enipam.diagnostics.sources.compare.SourceComparison;
import io.enipam.diagnostics.trace.TraceRing;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.events.EventRing;
import io.enipam.frontends.rpc.DaemonInfo;
import io.enipam.frontends.rpc.ServiceContext;
import io.enipam.node.cloud.CloudAccess;
import io.enipam.node.cloud.EmulatedCloudControl;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.node.cluster.NodeCidrProvider;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.node.overrides.CapacityOverrides;
import io.enipam.node.pods.NodePods;
import io.enipam.observability.history.History;
import io.enipam.pluginhost.ActiveSelection;
import io.enipam.pluginhost.PluginServices;
import io.enipam.recovery.DatabaseService;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Puts together what people ask of a daemon that runs: what every source says, what of that does not fit, why, and the doctor.
 *
 * @param socket the path of the control socket
 */
record QueryModule(
        DaemonInfo facts,
        LiveConfig config,
        DaemonLayout layout,
        Path socket,
        IpamEngine engine,
        ResourceDb db,
        DatabaseService database,
        NodePods pods,
        NodeDatapath kernel,
        CloudAccess cloud,
        EmulatedCloudControl emulated,
        ApiCallLog calls,
        EventRing events,
        TraceRing traces,
        History history,
        PluginServices plugins,
        ActiveSelection inForce,
        CapacityOverrides orders,
        NodeCidrProvider nodeCidr,
        Optional<ClusterInspector> cluster) {
    /**
     * Opens it.
     *
     * @param opened takes what is to be closed in the end
     * @param timer looks at the pool again and again
     */
    ServiceContext open(Closer opened, Scheduler scheduler, ScheduledExecutorService timer) {
        TimeSource time = facts.time();
        OperatorQuota share = new OperatorQuota(time, api -> room(calls.quotaStatus(api)));
        Sources sources = opened.push("sources", sources(share, scheduler));
        SourceComparison comparing = new SourceComparison(sources, scheduler);
        ConditionTracker watch = new ConditionTracker(
                time, engine::pool, () -> engine.capacityOverride().kind() == CapacityOverride.Kind.DRAINED);
        timer.scheduleWithFixedDelay(watch::lookOrSay, 2, 2, TimeUnit.SECONDS);
        DoctorModule office =
                new DoctorModule(this, comparing, share, watch, StartLog.add(layout.starts(), time.now()), readiness());
        Doctor doctor = opened.push("doctor", office.doctor());
        return new ServiceContext(
                facts,
                config,
                engine,
                db,
                database,
                pods,
                cloud,
                cloud,
                calls,
                events,
                traces,
                history,
                plugins,
                orders,
                comparing,
                new Explainer(comparing, cloud::witness, share, events, calls, time, engine::decide),
                this::trouble,
                emulated,
                doctor,
                cluster,
                kernel);
    }

    private AddReadiness readiness() {
        return new AddReadiness(
                engine, db, kernel, this::trouble, history.meters().failedAdds()::lasting, facts.emulated());
    }

    private Optional<String> trouble() {
        return cloud.trouble().or(inForce::trouble);
    }

    private static OperatorQuota.Budget room(ApiQuotaStatus budget) {
        return new OperatorQuota.Budget(budget.quota().allowed(), budget.quota().left());
    }

    private Sources sources(OperatorQuota share, Scheduler scheduler) {
        TimeSource time = facts.time();
        return new Sources(
                List.of(
                        new DatabaseSource(db),
                        new PoolSource(engine),
                        new EniSource(cloud, cloud::used),
                        new CloudSource(cloud, share, time),
                        new KernelSource(kernel),
                        cluster.map(ApiServerSource::of).orElseGet(() -> ApiServerSource.of(pods))),
                time,
                scheduler);
    }
}

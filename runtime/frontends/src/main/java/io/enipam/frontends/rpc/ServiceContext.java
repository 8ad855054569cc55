package io.enipam.frontends.rpc;

import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.config.dynamic.LiveConfig;
import io.enipam.diagnostics.doctor.Doctor;
import io.enipam.diagnostics.explain.Explainer;
import io.enipam.diagnostics.readiness.AddReadiness;
import io.enipam.diagnostics.sources.compare.SourceComparison;
import io.enipam.diagnostics.trace.TraceRing;
import io.enipam.emulator.control.CloudControl;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniSweeper;
import io.enipam.engine.port.ResourceDb;
import io.enipam.events.EventRing;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.node.overrides.CapacityOverrides;
import io.enipam.node.pods.NodePods;
import io.enipam.observability.history.History;
import io.enipam.pluginhost.PluginServices;
import io.enipam.recovery.DatabaseService;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Everything the services answer from.
 *
 * @param database the tools of {@code db}
 * @param orders what the pool is told over what its policy wants
 * @param comparing what every source says, and where they differ
 * @param trouble why the cloud cannot be used now; empty if it can
 * @param cluster what can be seen of the cluster; empty where there is none
 * @param emulated the hand behind the emulated cloud; throws IpamException if the cloud is a real one, or not up yet
 */
public record ServiceContext(
        DaemonInfo facts,
        LiveConfig config,
        IpamEngine engine,
        ResourceDb db,
        DatabaseService database,
        NodePods pods,
        EniDirectory enis,
        EniSweeper sweeper,
        ApiCallLog calls,
        EventRing events,
        TraceRing traces,
        History history,
        PluginServices plugins,
        CapacityOverrides orders,
        SourceComparison comparing,
        Explainer explainer,
        Supplier<Optional<String>> trouble,
        Supplier<CloudControl> emulated,
        Doctor doctor,
        Optional<ClusterInspector> cluster,
        NodeDatapath kernel) {
    /** Whether an ADD could be served now. */
    public AddReadiness readiness() {
        return new AddReadiness(engine, db, kernel, trouble, history.meters().failedAdds()::lasting, facts.emulated());
    }
}

package io.enipam.frontends.rpc;

import io.enipam.config.DaemonConfig;
import io.enipam.diagnostics.readiness.AddReadiness;
import io.enipam.diagnostics.readiness.AddReadiness.Requirement;
import io.enipam.diagnostics.readiness.AddReadiness.SupplyShortage;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.EngineStatus.Phase;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.DbTrouble;
import io.enipam.engine.startup.StartupProgress.StepReport;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.v1.GetGcStatusReply;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetVersionReply;
import io.enipam.v1.StartupStep;
import java.util.List;
import java.util.Optional;

/** Calls about the daemon as a whole: its state, its version, its configuration, the last collection. Thread-safe. */
final class StatusHandler {
    /** The engine serves, but for ADD: the database cannot be written, no pod can be connected, or every ADD fails. */
    private static final String DEGRADED = "DEGRADED";

    private final ServiceContext served;

    StatusHandler(ServiceContext served) {
        this.served = served;
    }

    GetStatusReply status() {
        EngineStatus status = served.engine().status();
        PoolView pool = served.engine().pool();
        ServiceContext.DaemonInfo info = served.info();
        ResourceDb db = served.database().db();
        Optional<ClusterInspector> cluster = served.node().cluster();
        AddReadiness.Result ready = served.readiness().evaluate();
        Optional<AddReadiness.Fault> degraded = ready.broken().filter(fault -> status.phase() == Phase.READY);
        GetStatusReply.Builder reply = GetStatusReply.newBuilder()
                .setPhase(degraded.isPresent() ? DEGRADED : status.phase().name())
                .setPhaseSince(Proto.timestamp(degraded.flatMap(fault -> db.trouble())
                        .map(DbTrouble::since)
                        .orElse(status.phaseSince())))
                .setDetail(degraded.map(fault -> lacking(fault.part()))
                        .or(served.cloud().trouble())
                        .orElse(status.detail()))
                .setPid(ProcessHandle.current().pid())
                .setPool(PoolMapper.pool(pool, served.engine().capacityOverride()))
                .addAllStartup(Proto.all(status.startup(), StatusHandler::step))
                .setEnis(served.cloud().enis().enis().size())
                .setCloud(info.emulated() ? "emulator" : "aliyun");
        db.trouble()
                .ifPresent(
                        trouble -> reply.addConditions(trouble.cause() + "; no lease is given until that works again"));
        ready.of(Requirement.KERNEL).ifPresent(reply::addConditions);
        ready.of(Requirement.ADDS).ifPresent(reply::addConditions);
        reply.addAllConditions(PoolMapper.conditions(pool));
        status.trouble().ifPresent(reply::addConditions);
        SupplyShortage.of(served.engine().pendingWork(), pool).ifPresent(reply::addConditions);
        cluster.flatMap(link ->
                        ClusterHandler.condition(link.state(), info.time().now()))
                .ifPresent(reply::addConditions);
        reply.addAllConditions(served.config().conditions());
        cluster.ifPresent(link -> reply.setCluster(
                ClusterHandler.status(link.state(), served.engine().leases())));
        status.lastGc().ifPresent(report -> reply.setLastGc(PoolMapper.report(report)));
        status.lastReconcile().ifPresent(report -> reply.setLastSync(PoolMapper.report(report)));
        return Proto.fill(reply, info).build();
    }

    private static String lacking(Requirement part) {
        return switch (part) {
            case ENGINE -> "the engine does not serve";
            case DATABASE -> "the database cannot be written";
            case KERNEL -> "no pod can be connected";
            case ADDS -> "every ADD fails";
            case SUPPLY -> "no address is left";
        };
    }

    GetVersionReply version() {
        return GetVersionReply.newBuilder()
                .setVersion(served.info().version())
                .setJava(System.getProperty("java.version") + " (" + System.getProperty("java.vendor") + ")")
                .setOs(System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"))
                .build();
    }

    List<DaemonConfig.Entry> config() {
        return served.config().now().entries();
    }

    GetGcStatusReply gc() {
        GetGcStatusReply.Builder reply = GetGcStatusReply.newBuilder()
                .setInterval(Proto.duration(served.config().now().gcInterval()));
        served.engine().status().lastGc().ifPresent(report -> reply.setLast(PoolMapper.report(report)));
        return reply.build();
    }

    private static StartupStep step(StepReport report) {
        StartupStep.Builder step = Proto.fill(StartupStep.newBuilder(), report)
                .setName(report.step().name())
                .setWords(report.step().label());
        return report.since().isEmpty() ? step.clearTook().build() : step.build();
    }
}

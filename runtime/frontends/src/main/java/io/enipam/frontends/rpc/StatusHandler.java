package io.enipam.frontends.rpc;

import io.enipam.config.DaemonConfig;
import io.enipam.config.Schema;
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
import io.enipam.v1.ConfigEntry;
import io.enipam.v1.GetConfigReply;
import io.enipam.v1.GetGcStatusReply;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetVersionReply;
import io.enipam.v1.PendingValue;
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
                .addAllConditions(db.trouble().stream()
                        .map(trouble -> trouble.cause() + "; no lease is given until that works again")
                        .toList())
                .addAllConditions(ready.of(Requirement.KERNEL).stream().toList())
                .addAllConditions(ready.of(Requirement.ADDS).stream().toList())
                .setNode(info.node())
                .setVersion(info.version())
                .setPid(ProcessHandle.current().pid())
                .setUptime(Proto.duration(info.uptime()))
                .setPool(PoolMapper.pool(pool, served.engine().capacityOverride()))
                .addAllConditions(PoolMapper.conditions(pool))
                .addAllConditions(status.trouble().stream().toList())
                .addAllConditions(SupplyShortage.of(served.engine().pendingWork(), pool).stream()
                        .toList())
                .addAllConditions(cluster.stream()
                        .flatMap(link -> ClusterHandler.condition(
                                link.state(), info.time().now())
                                .stream())
                        .toList())
                .addAllConditions(served.config().conditions())
                .addAllStartup(steps(status.startup()))
                .setEnis(served.cloud().enis().enis().size())
                .setRoot(info.root())
                .setCloud(info.emulated() ? "emulator" : "aliyun")
                .setSandbox(info.sandbox());
        cluster.ifPresent(link -> reply.setCluster(
                ClusterHandler.status(link.state(), served.engine().leases())));
        status.lastGc().ifPresent(report -> reply.setLastGc(PoolMapper.report(report)));
        status.lastReconcile().ifPresent(report -> reply.setLastSync(PoolMapper.report(report)));
        return reply.build();
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

    GetConfigReply config() {
        return GetConfigReply.newBuilder()
                .addAllEntries(Proto.all(served.config().now().entries(), StatusHandler::entry))
                .build();
    }

    private static ConfigEntry entry(DaemonConfig.Entry entry) {
        ConfigEntry.Builder wire = ConfigEntry.newBuilder()
                .setKey(entry.key())
                .setValue(entry.value())
                .setSource(entry.source())
                .setDoc(entry.doc());
        entry.pending()
                .ifPresent(waiting -> wire.setPending(
                        PendingValue.newBuilder().setValue(waiting.value()).setSource(waiting.source())));
        return wire.build();
    }

    GetGcStatusReply gc() {
        GetGcStatusReply.Builder reply = GetGcStatusReply.newBuilder()
                .setInterval(Proto.duration(served.config().now().get(Schema.GC_INTERVAL)));
        served.engine().status().lastGc().ifPresent(report -> reply.setLast(PoolMapper.report(report)));
        return reply.build();
    }

    static List<StartupStep> steps(List<StepReport> reports) {
        return Proto.all(reports, StatusHandler::step);
    }

    private static StartupStep step(StepReport report) {
        StartupStep.Builder step = StartupStep.newBuilder()
                .setName(report.step().name())
                .setWords(report.step().label())
                .setState(report.state().name())
                .setDetail(report.detail());
        report.since().ifPresent(since -> step.setSince(Proto.timestamp(since)).setTook(Proto.duration(report.took())));
        return step.build();
    }
}

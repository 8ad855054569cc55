package io.enipam.frontends.rpc;

import io.enipam.config.DaemonConfig;
import io.enipam.diagnostics.readiness.AddReadiness;
import io.enipam.diagnostics.readiness.AddReadiness.Requirement;
import io.enipam.diagnostics.readiness.AddReadiness.SupplyShortage;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.EngineStatus.Phase;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.ResourceDb.DbTrouble;
import io.enipam.v1.ConfigEntry;
import io.enipam.v1.GetConfigReply;
import io.enipam.v1.GetGcStatusReply;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetVersionReply;
import io.enipam.v1.PendingValue;
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
        DaemonInfo facts = served.facts();
        AddReadiness.Result ready = served.readiness().evaluate();
        Optional<AddReadiness.Fault> degraded = ready.broken().filter(fault -> status.phase() == Phase.READY);
        GetStatusReply.Builder reply = GetStatusReply.newBuilder()
                .setPhase(degraded.isPresent() ? DEGRADED : status.phase().name())
                .setPhaseSince(ProtoTime.timestamp(
                        degraded.flatMap(fault -> served.db().trouble())
                                .map(DbTrouble::since)
                                .orElse(status.phaseSince())))
                .setDetail(degraded.map(fault -> lacking(fault.part()))
                        .or(served.trouble())
                        .orElse(status.detail()))
                .addAllConditions(served.db().trouble().stream()
                        .map(trouble -> trouble.cause() + "; no lease is given until that works again")
                        .toList())
                .addAllConditions(ready.of(Requirement.KERNEL).stream().toList())
                .addAllConditions(ready.of(Requirement.ADDS).stream().toList())
                .setNode(facts.node())
                .setVersion(facts.version())
                .setPid(ProcessHandle.current().pid())
                .setUptime(ProtoTime.duration(facts.uptime()))
                .setPool(PoolMapper.pool(pool, served.engine().capacityOverride()))
                .addAllConditions(ReconcileMapper.conditions(pool))
                .addAllConditions(status.trouble().stream().toList())
                .addAllConditions(SupplyShortage.of(served.engine().pendingWork(), pool).stream()
                        .toList())
                .addAllConditions(served.cluster().stream()
                        .flatMap(cluster -> ClusterMapper.condition(
                                cluster.state(), facts.time().now())
                                .stream())
                        .toList())
                .addAllConditions(served.config().conditions())
                .addAllStartup(StartupMapper.steps(status.startup()))
                .setEnis(served.enis().enis().size())
                .setRoot(facts.root())
                .setCloud(facts.emulated() ? "emulator" : "aliyun")
                .setSandbox(facts.sandbox());
        served.cluster()
                .ifPresent(cluster -> reply.setCluster(
                        ClusterMapper.status(cluster.state(), served.engine().leases())));
        status.lastGc().ifPresent(report -> reply.setLastGc(LeaseMapper.report(report)));
        status.lastReconcile().ifPresent(report -> reply.setLastSync(ReconcileMapper.report(report)));
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
                .setVersion(served.facts().version())
                .setJava(System.getProperty("java.version") + " (" + System.getProperty("java.vendor") + ")")
                .setOs(System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"))
                .build();
    }

    GetConfigReply config() {
        return GetConfigReply.newBuilder()
                .addAllEntries(served.config().now().entries().stream()
                        .map(StatusHandler::entry)
                        .toList())
                .build();
    }

    private static ConfigEntry entry(DaemonConfig.Entry entry) {
        ConfigEntry.Builder told = ConfigEntry.newBuilder()
                .setKey(entry.key())
                .setValue(entry.value())
                .setSource(entry.source())
                .setDoc(entry.doc());
        entry.pending()
                .ifPresent(waiting -> told.setPending(
                        PendingValue.newBuilder().setValue(waiting.value()).setSource(waiting.source())));
        return told.build();
    }

    GetGcStatusReply gc() {
        GetGcStatusReply.Builder reply = GetGcStatusReply.newBuilder()
                .setInterval(ProtoTime.duration(served.config().now().gcInterval()));
        served.engine().status().lastGc().ifPresent(report -> reply.setLast(LeaseMapper.report(report)));
        return reply.build();
    }
}

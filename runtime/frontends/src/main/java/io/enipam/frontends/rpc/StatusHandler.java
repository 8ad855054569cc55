package io.enipam.frontends.rpc;

import ch.qos.logback.classic.Level;
import io.enipam.config.DaemonConfig;
import io.enipam.config.Schema;
import io.enipam.diagnostics.readiness.Trouble;
import io.enipam.diagnostics.readiness.Trouble.Cause;
import io.enipam.diagnostics.readiness.Troubles;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.EngineStatus.Phase;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.pool.PoolSummary;
import io.enipam.engine.port.Leadership;
import io.enipam.engine.startup.StartupProgress.StepReport;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import io.enipam.node.cluster.ClusterInspector.WatchState;
import io.enipam.platform.LogRing;
import io.enipam.v1.ClusterStatus;
import io.enipam.v1.GetClusterReply;
import io.enipam.v1.GetGcStatusReply;
import io.enipam.v1.GetLogRequest;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetVersionReply;
import io.enipam.v1.LogRecord;
import io.enipam.v1.StartupStep;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Calls about the daemon as a whole: its state, version, configuration, log, last collection, and its link to the cluster. Thread-safe. */
record StatusHandler(ServiceContext served) {
    /** The engine serves, but for ADD: the database cannot be written, no pod can be connected, or every ADD fails. */
    private static final String DEGRADED = "DEGRADED";

    private static final int TOO_MANY = 429;

    private static final Set<String> LEVELS = Set.of("", "DEBUG", "INFO", "WARN", "ERROR");

    GetStatusReply status() {
        EngineStatus status = served.engine().status();
        ServiceContext.DaemonInfo info = served.info();
        Troubles.Found found = served.troubles().find();
        Optional<Trouble> degraded = found.broken().filter(broken -> status.phase() == Phase.READY);
        GetStatusReply.Builder reply = GetStatusReply.newBuilder()
                .setRole(info.role().name().toLowerCase(Locale.ROOT))
                .setPhase(degraded.isPresent() ? DEGRADED : status.phase().name())
                .setPhaseSince(Proto.timestamp(degraded.map(Trouble::since).orElse(status.phaseSince())))
                .setDetail(degraded.map(broken -> lacking(broken.cause()))
                        .or(() -> served.node()
                                .flatMap(node -> node.cloud().trouble().get()))
                        .orElse(status.detail()))
                .setPid(ProcessHandle.current().pid())
                .addAllStartup(Proto.all(status.startup(), StatusHandler::step))
                .addAllConditions(Proto.all(found.troubles(), Trouble::text))
                .addAllTroubles(Proto.all(found.troubles(), StatusHandler::trouble));
        served.diagnosis().lastRun().ifPresent(run -> Proto.fill(reply.getLastRunBuilder(), run));
        served.node().ifPresentOrElse(node -> addNode(reply, node), () -> addReplica(reply));
        return Proto.fill(reply, info).build();
    }

    private void addNode(GetStatusReply.Builder reply, ServiceContext.Node node) {
        EngineStatus status = served.engine().status();
        PoolSummary pool = served.engine().poolSummary();
        Optional<ClusterInspector> cluster = node.cluster();
        reply.setPool(PoolMapper.pool(pool, served.engine().capacityOverride()))
                .setEnis(node.cloud().enis().enis().size())
                .setCloud(served.info().emulated() ? "emulator" : "aliyun");
        cluster.ifPresent(
                link -> reply.setCluster(status(link.state(), served.engine().leases())));
        status.lastGc().ifPresent(report -> reply.setLastGc(PoolMapper.report(report)));
        status.lastReconcile().ifPresent(report -> reply.setLastSync(PoolMapper.report(report)));
    }

    private void addReplica(GetStatusReply.Builder reply) {
        Leadership leadership = served.plugins().leadership();
        reply.setLeads(leadership.leads());
        leadership.leader().ifPresent(reply::setLeader);
    }

    static io.enipam.v1.Trouble trouble(Trouble trouble) {
        return Proto.fill(io.enipam.v1.Trouble.newBuilder(), trouble).build();
    }

    private static String lacking(Cause cause) {
        return switch (cause) {
            case DATABASE -> "the database cannot be written";
            case KERNEL -> "no pod can be connected";
            default -> "every ADD fails";
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
                .setInterval(Proto.duration(served.config().now().get(Schema.GC_INTERVAL)));
        served.engine().status().lastGc().ifPresent(report -> reply.setLast(PoolMapper.report(report)));
        return reply.build();
    }

    private static StartupStep step(StepReport report) {
        StartupStep.Builder step = Proto.fill(StartupStep.newBuilder(), report)
                .setName(report.step().name())
                .setWords(report.step().label());
        return report.since().isEmpty() ? step.clearTook().build() : step.build();
    }

    CompletionStage<GetClusterReply> cluster(ServiceContext.Node node) {
        return node.cluster()
                .map(this::reply)
                .orElseGet(() -> CompletableFuture.completedStage(GetClusterReply.getDefaultInstance()));
    }

    /** A part that cannot be read is reported as trouble, and the others are in the reply. */
    private CompletionStage<GetClusterReply> reply(ClusterInspector cluster) {
        GetClusterReply.Builder reply = GetClusterReply.newBuilder();
        try {
            cluster.credentials().forEach(credential -> Proto.fill(reply.addCredentialsBuilder(), credential));
        } catch (IOException e) {
            reply.setCredentialsTrouble(String.valueOf(e.getMessage()));
        }
        return cluster.node().handle((node, error) -> {
            ClusterState state = cluster.state();
            state.requests().forEach(count -> Proto.fill(reply.addRequestsBuilder(), count));
            Optional.ofNullable(node)
                    .flatMap(found -> found)
                    .ifPresentOrElse(
                            found -> found.facts()
                                    .forEach((name, value) ->
                                            reply.addNodeBuilder().setName(name).setValue(value)),
                            () -> reply.setNodeTrouble(
                                    error == null
                                            ? "the cluster has no node " + state.node()
                                            : String.valueOf(Stages.cause(error).getMessage())));
            return reply.setStatus(status(state, served.engine().leases())).build();
        });
    }

    /** @param leases all of this node */
    private static ClusterStatus status(ClusterState state, List<Lease> leases) {
        WatchState watch = state.watch();
        ClusterStatus.Builder status = Proto.fill(ClusterStatus.newBuilder(), state, watch)
                .setWatching(watch.heard())
                .setRequestsLastMinute(state.traffic().lastMinute())
                .setRequestsPerSecond(state.traffic().perSecond())
                .setThrottled(state.answered(TOO_MANY))
                .setLeasesOnTrust(onTrust(leases))
                .setEventsLost(state.events().lost())
                .setTrouble(watch.heard() ? "" : watch.trouble());
        watch.last().ifPresent(last -> status.setLastHeard(Proto.timestamp(last)));
        return status.build();
    }

    /** A lease names its pod's UID unless the API server could not be reached. */
    private static int onTrust(List<Lease> leases) {
        return (int) leases.stream()
                .filter(lease -> lease.podUid().isEmpty() && !PlaceholderPod.is(lease.pod()))
                .count();
    }

    /** The last lines of the daemon's own log. */
    static List<LogRecord> log(GetLogRequest request) {
        String name = request.getLevel().toUpperCase(Locale.ROOT);
        if (!LEVELS.contains(name)) {
            throw GrpcFailures.invalid(
                    "'" + request.getLevel() + "' is no level of the log", "use DEBUG, INFO, WARN or ERROR");
        }
        Level least = Level.toLevel(name, Level.ALL);
        List<LogRing.Line> lines = LogRing.ofThisProcess().map(LogRing::lines).orElse(List.of()).stream()
                .filter(line -> Level.toLevel(line.level()).isGreaterOrEqual(least))
                .toList();
        return Proto.all(Proto.last(lines, request.getLimit()), StatusHandler::record);
    }

    private static LogRecord record(LogRing.Line line) {
        return Proto.fill(LogRecord.newBuilder(), line)
                .addAllThrown(line.thrown().lines().toList())
                .build();
    }
}

package io.enipam.daemon.rpc;

import io.enipam.daemon.events.EventRing;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.EngineStatus.Phase;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.DbTrouble;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceState;
import io.enipam.v1.CheckCniReply;
import io.enipam.v1.CheckCniRequest;
import io.enipam.v1.CloudCall;
import io.enipam.v1.ConfigEntry;
import io.enipam.v1.DbRecord;
import io.enipam.v1.DumpDbReply;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.Eni;
import io.enipam.v1.ExplainReply;
import io.enipam.v1.ExplainRequest;
import io.enipam.v1.ExportDbReply;
import io.enipam.v1.ExportDbRequest;
import io.enipam.v1.GetCloudBudgetReply;
import io.enipam.v1.GetCloudBudgetRequest;
import io.enipam.v1.GetCloudReply;
import io.enipam.v1.GetCloudRequest;
import io.enipam.v1.GetCniStatusReply;
import io.enipam.v1.GetCniStatusRequest;
import io.enipam.v1.GetConfigReply;
import io.enipam.v1.GetConfigRequest;
import io.enipam.v1.GetDbRecordReply;
import io.enipam.v1.GetDbRecordRequest;
import io.enipam.v1.GetEniReply;
import io.enipam.v1.GetEniRequest;
import io.enipam.v1.GetGcStatusReply;
import io.enipam.v1.GetGcStatusRequest;
import io.enipam.v1.GetHistoryReply;
import io.enipam.v1.GetHistoryRequest;
import io.enipam.v1.GetLogReply;
import io.enipam.v1.GetLogRequest;
import io.enipam.v1.GetMetersReply;
import io.enipam.v1.GetMetersRequest;
import io.enipam.v1.GetPluginReply;
import io.enipam.v1.GetPluginRequest;
import io.enipam.v1.GetPodReply;
import io.enipam.v1.GetPodRequest;
import io.enipam.v1.GetPoolReply;
import io.enipam.v1.GetPoolRequest;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.GetTraceReply;
import io.enipam.v1.GetTraceRequest;
import io.enipam.v1.GetVersionReply;
import io.enipam.v1.GetVersionRequest;
import io.enipam.v1.InspectGrpc;
import io.enipam.v1.ListCloudCallsReply;
import io.enipam.v1.ListCloudCallsRequest;
import io.enipam.v1.ListCloudNamesReply;
import io.enipam.v1.ListCloudNamesRequest;
import io.enipam.v1.ListDoctorChecksReply;
import io.enipam.v1.ListDoctorChecksRequest;
import io.enipam.v1.ListEnisReply;
import io.enipam.v1.ListEnisRequest;
import io.enipam.v1.ListIdleReply;
import io.enipam.v1.ListIdleRequest;
import io.enipam.v1.ListInUseReply;
import io.enipam.v1.ListInUseRequest;
import io.enipam.v1.ListPluginsReply;
import io.enipam.v1.ListPluginsRequest;
import io.enipam.v1.ListPodsReply;
import io.enipam.v1.ListPodsRequest;
import io.enipam.v1.PodInfo;
import io.enipam.v1.RunDiagnosticReply;
import io.enipam.v1.RunDiagnosticRequest;
import io.enipam.v1.RunDoctorReply;
import io.enipam.v1.RunDoctorRequest;
import io.enipam.v1.VerifyDbReply;
import io.enipam.v1.VerifyDbRequest;
import io.enipam.v1.WatchEventsReply;
import io.enipam.v1.WatchEventsRequest;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** {@code enipam.v1.Inspect}: looks at the daemon, changes nothing. Thread-safe. */
public final class InspectService extends InspectGrpc.InspectImplBase {
    /** The engine serves, but for ADD: the database cannot be written. */
    private static final String DEGRADED = "DEGRADED";

    private final Served served;
    private final CloudCalls cloud;
    private final ExplainCalls explain;
    private final HistoryCalls history;
    private final CheckCalls checks;
    private final TraceCalls traces;
    private final DoctorCalls doctor;

    public InspectService(Served served) {
        this.served = served;
        this.cloud = new CloudCalls(served.emulated());
        this.checks = new CheckCalls(served);
        this.traces =
                new TraceCalls(served.traces(), served.events(), served.facts().time());
        this.explain = new ExplainCalls(served.explainer());
        this.history = new HistoryCalls(served.history(), served.facts().time());
        this.doctor = new DoctorCalls(served.doctor(), served.facts().version());
    }

    @Override
    public void getStatus(GetStatusRequest request, StreamObserver<GetStatusReply> observer) {
        Answers.now(observer, this::status);
    }

    private GetStatusReply status() {
        EngineStatus status = served.engine().status();
        PoolView pool = served.engine().pool();
        DaemonFacts facts = served.facts();
        Optional<DbTrouble> degraded = served.db().trouble().filter(trouble -> status.phase() == Phase.READY);
        GetStatusReply.Builder reply = GetStatusReply.newBuilder()
                .setPhase(degraded.isPresent() ? DEGRADED : status.phase().name())
                .setPhaseSince(
                        ProtoTime.timestamp(degraded.map(DbTrouble::since).orElse(status.phaseSince())))
                .setDetail(degraded.map(trouble -> "the database cannot be written")
                        .or(served.trouble())
                        .orElse(status.detail()))
                .addAllConditions(served.db().trouble().stream()
                        .map(trouble -> trouble.cause() + "; no lease is given until that works again")
                        .toList())
                .setNode(facts.node())
                .setVersion(facts.version())
                .setPid(ProcessHandle.current().pid())
                .setUptime(ProtoTime.duration(facts.uptime()))
                .setPool(PoolWire.pool(pool, served.engine().order()))
                .addAllConditions(SyncWire.conditions(pool))
                .addAllConditions(status.trouble().stream().toList())
                .addAllStartup(StartupWire.steps(status.startup()))
                .setEnis(served.enis().enis().size())
                .setRoot(facts.root())
                .setCloud(facts.emulated() ? "emulator" : "aliyun")
                .setSandbox(facts.sandbox());
        status.lastGc().ifPresent(report -> reply.setLastGc(LeaseWire.report(report)));
        status.lastReconcile().ifPresent(report -> reply.setLastSync(SyncWire.report(report)));
        return reply.build();
    }

    @Override
    public void getVersion(GetVersionRequest request, StreamObserver<GetVersionReply> observer) {
        Answers.now(
                observer,
                () -> GetVersionReply.newBuilder()
                        .setVersion(served.facts().version())
                        .setJava(System.getProperty("java.version") + " (" + System.getProperty("java.vendor") + ")")
                        .setOs(System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                                + System.getProperty("os.arch"))
                        .build());
    }

    @Override
    public void getConfig(GetConfigRequest request, StreamObserver<GetConfigReply> observer) {
        Answers.now(
                observer,
                () -> GetConfigReply.newBuilder()
                        .addAllEntries(served.config().entries().stream()
                                .map(e -> ConfigEntry.newBuilder()
                                        .setKey(e.key())
                                        .setValue(e.value())
                                        .setSource(e.source())
                                        .setDoc(e.doc())
                                        .build())
                                .toList())
                        .build());
    }

    @Override
    public void getCloud(GetCloudRequest request, StreamObserver<GetCloudReply> observer) {
        Answers.now(observer, cloud::get);
    }

    @Override
    public void runDoctor(RunDoctorRequest request, StreamObserver<RunDoctorReply> observer) {
        doctor.run(request, observer);
    }

    @Override
    public void listDoctorChecks(ListDoctorChecksRequest request, StreamObserver<ListDoctorChecksReply> observer) {
        doctor.list(observer);
    }

    @Override
    public void listCloudNames(ListCloudNamesRequest request, StreamObserver<ListCloudNamesReply> observer) {
        Answers.now(observer, cloud::names);
    }

    @Override
    public void getPool(GetPoolRequest request, StreamObserver<GetPoolReply> observer) {
        Answers.now(
                observer,
                () -> GetPoolReply.newBuilder()
                        .setPool(PoolWire.pool(
                                served.engine().pool(), served.engine().order()))
                        .build());
    }

    @Override
    public void checkCni(CheckCniRequest request, StreamObserver<CheckCniReply> observer) {
        checks.check(request, observer);
    }

    @Override
    public void getCniStatus(GetCniStatusRequest request, StreamObserver<GetCniStatusReply> observer) {
        Answers.now(observer, checks::status);
    }

    @Override
    public void listIdle(ListIdleRequest request, StreamObserver<ListIdleReply> observer) {
        ChunkedReply.send(
                observer,
                PoolWire.notLent(served.engine().pool()),
                entries -> ListIdleReply.newBuilder().addAllEntries(entries).build());
    }

    @Override
    public void listInUse(ListInUseRequest request, StreamObserver<ListInUseReply> observer) {
        Map<OwnerKey, ResourceState> states = SyncWire.states(served.engine().pool());
        ChunkedReply.send(
                observer,
                served.engine().leases(),
                leases -> ListInUseReply.newBuilder()
                        .addAllLeases(leases.stream()
                                .map(lease -> LeaseWire.lease(lease, states))
                                .toList())
                        .build());
    }

    @Override
    public void listEnis(ListEnisRequest request, StreamObserver<ListEnisReply> observer) {
        Answers.now(
                observer, () -> ListEnisReply.newBuilder().addAllEnis(enis()).build());
    }

    @Override
    public void getEni(GetEniRequest request, StreamObserver<GetEniReply> observer) {
        Answers.now(
                observer,
                () -> enis().stream()
                        .filter(eni -> eni.getId().equals(request.getId()))
                        .findFirst()
                        .map(eni -> GetEniReply.newBuilder().setEni(eni).build())
                        .orElseThrow(() -> new IpamException(
                                ErrorCode.NOT_FOUND,
                                "this node has no ENI '" + request.getId() + "'",
                                "'eni list' shows the ENIs there are")));
    }

    private List<Eni> enis() {
        return EniWire.enis(served.enis().enis(), served.engine().pool());
    }

    @Override
    public void listPods(ListPodsRequest request, StreamObserver<ListPodsReply> observer) {
        // no API server stands behind the directory, so its stage is complete at once
        List<PodInfo> pods = PodWire.union(
                served.pods().list().toCompletableFuture().join(),
                served.engine().leases(),
                SyncWire.states(served.engine().pool()));
        ChunkedReply.send(
                observer,
                pods,
                chunk -> ListPodsReply.newBuilder().addAllPods(chunk).build());
    }

    @Override
    public void getPod(GetPodRequest request, StreamObserver<GetPodReply> observer) {
        Answers.later(
                observer,
                () -> pod(Answers.pod(request.getPod())),
                pod -> GetPodReply.newBuilder().setPod(pod).build());
    }

    private CompletionStage<PodInfo> pod(PodRef ref) {
        // only what was admitted counts here: a directory that believes in every pod would know them all
        return served.pods()
                .list()
                .thenApply(known -> PodWire.one(
                                ref,
                                known.stream().filter(p -> p.ref().equals(ref)).findFirst(),
                                served.engine().leasesOf(ref),
                                SyncWire.states(served.engine().pool()))
                        .orElseThrow(() -> new IpamException(
                                ErrorCode.NOT_FOUND, "there is no pod " + ref, "'pod list' shows the pods there are")));
    }

    @Override
    public void getGcStatus(GetGcStatusRequest request, StreamObserver<GetGcStatusReply> observer) {
        Answers.now(observer, () -> {
            GetGcStatusReply.Builder reply = GetGcStatusReply.newBuilder()
                    .setInterval(ProtoTime.duration(served.config().gcInterval()));
            served.engine().status().lastGc().ifPresent(report -> reply.setLast(LeaseWire.report(report)));
            return reply.build();
        });
    }

    @Override
    public void dumpDb(DumpDbRequest request, StreamObserver<DumpDbReply> observer) {
        List<ResourceDb.RawRecord> fitting;
        try {
            fitting = DbFilter.of(request).of(served.database().records());
        } catch (IpamException e) {
            observer.onError(Failures.of(e));
            return;
        }
        ChunkedReply.send(
                observer,
                fitting,
                records -> DumpDbReply.newBuilder()
                        .addAllRecords(
                                records.stream().map(InspectService::record).toList())
                        .build());
    }

    @Override
    public void getDbRecord(GetDbRecordRequest request, StreamObserver<GetDbRecordReply> observer) {
        Answers.now(
                observer,
                () -> GetDbRecordReply.newBuilder()
                        .setRecord(record(found(request.getKey())))
                        .build());
    }

    @Override
    public void verifyDb(VerifyDbRequest request, StreamObserver<VerifyDbReply> observer) {
        long begun = served.facts().time().nanoTime();
        Answers.later(
                observer,
                () -> served.database().verify(),
                found -> DbWire.verification(
                        found, Duration.ofNanos(served.facts().time().nanoTime() - begun)));
    }

    @Override
    public void exportDb(ExportDbRequest request, StreamObserver<ExportDbReply> observer) {
        ExportStream.send(observer, () -> served.database().export());
    }

    private ResourceDb.RawRecord found(String key) {
        List<ResourceDb.RawRecord> records = served.database().records();
        Optional<ResourceDb.RawRecord> exact = records.stream()
                .filter(r -> (r.bucket() + "/" + r.key()).equals(key))
                .findFirst();
        List<ResourceDb.RawRecord> matches = exact.map(List::of)
                .orElseGet(
                        () -> records.stream().filter(r -> r.key().equals(key)).toList());
        if (matches.isEmpty()) {
            throw new IpamException(
                    ErrorCode.NOT_FOUND, "the database has no record '" + key + "'", "'db dump' shows all records");
        }
        if (matches.size() > 1) {
            Stream<String> names = matches.stream().map(r -> r.bucket() + "/" + r.key());
            throw Failures.invalid(
                    "several buckets have a record '" + key + "'",
                    "ask for one of " + String.join(", ", names.toList()));
        }
        return matches.get(0);
    }

    private static DbRecord record(ResourceDb.RawRecord raw) {
        return DbRecord.newBuilder()
                .setBucket(raw.bucket())
                .setKey(raw.key())
                .setValue(raw.json())
                .build();
    }

    @Override
    public void watchEvents(WatchEventsRequest request, StreamObserver<WatchEventsReply> observer) {
        EventRing ring = served.events();
        boolean ofThisRun = request.getRun().isEmpty() || request.getRun().equals(ring.run());
        long after = ofThisRun ? request.getAfterSequence() : 0;
        if (request.getFollow()) {
            EventStream.follow((ServerCallStreamObserver<WatchEventsReply>) observer, ring, after);
        } else {
            ChunkedReply.send(observer, ring.after(after), events -> EventWire.reply(events, ring.run()));
        }
    }

    @Override
    public void getTrace(GetTraceRequest request, StreamObserver<GetTraceReply> observer) {
        traces.get(request, observer);
    }

    @Override
    public void explain(ExplainRequest request, StreamObserver<ExplainReply> observer) {
        explain.explain(request, observer);
    }

    @Override
    public void listPlugins(ListPluginsRequest request, StreamObserver<ListPluginsReply> observer) {
        Answers.now(
                observer,
                () -> ListPluginsReply.newBuilder()
                        .addAllPlugins(served.plugins().reports().all().stream()
                                .map(PluginWire::plugin)
                                .toList())
                        .build());
    }

    @Override
    public void getPlugin(GetPluginRequest request, StreamObserver<GetPluginReply> observer) {
        Answers.now(
                observer,
                () -> GetPluginReply.newBuilder()
                        .setPlugin(PluginWire.plugin(served.plugins().reports().one(request.getId())))
                        .build());
    }

    @Override
    public void runDiagnostic(RunDiagnosticRequest request, StreamObserver<RunDiagnosticReply> observer) {
        long begun = served.facts().time().nanoTime();
        Answers.later(
                observer,
                () -> served.plugins()
                        .diagnostics()
                        .run(request.getPlugin(), request.getName(), request.getArgumentsMap()),
                answer -> PluginWire.answer(
                        answer, Duration.ofNanos(served.facts().time().nanoTime() - begun)));
    }

    @Override
    public void listCloudCalls(ListCloudCallsRequest request, StreamObserver<ListCloudCallsReply> observer) {
        List<CloudCall> calls;
        try {
            calls = CloudCallWire.calls(served.calls(), request);
        } catch (IpamException refusal) {
            observer.onError(Failures.of(refusal));
            return;
        }
        ChunkedReply.send(
                observer,
                calls,
                chunk -> ListCloudCallsReply.newBuilder().addAllCalls(chunk).build());
    }

    @Override
    public void getCloudBudget(GetCloudBudgetRequest request, StreamObserver<GetCloudBudgetReply> observer) {
        Answers.now(
                observer,
                () -> GetCloudBudgetReply.newBuilder()
                        .addAllApis(CloudCallWire.budget(served.calls()))
                        .build());
    }

    @Override
    public void getHistory(GetHistoryRequest request, StreamObserver<GetHistoryReply> observer) {
        history.history(request, observer);
    }

    @Override
    public void getLog(GetLogRequest request, StreamObserver<GetLogReply> observer) {
        LogCalls.records(request, observer);
    }

    @Override
    public void getMeters(GetMetersRequest request, StreamObserver<GetMetersReply> observer) {
        Answers.now(observer, history::meters);
    }
}

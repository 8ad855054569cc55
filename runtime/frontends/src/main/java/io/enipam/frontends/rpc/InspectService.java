package io.enipam.frontends.rpc;

import io.enipam.events.EventRing;
import io.enipam.engine.port.TimeSource;
import io.enipam.v1.CheckCniReply;
import io.enipam.v1.CheckCniRequest;
import io.enipam.v1.DumpDbReply;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.ExplainReply;
import io.enipam.v1.ExplainRequest;
import io.enipam.v1.ExportDbReply;
import io.enipam.v1.ExportDbRequest;
import io.enipam.v1.GetCloudBudgetReply;
import io.enipam.v1.GetCloudBudgetRequest;
import io.enipam.v1.GetCloudReply;
import io.enipam.v1.GetCloudRequest;
import io.enipam.v1.GetClusterReply;
import io.enipam.v1.GetClusterRequest;
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

/** {@code enipam.v1.Inspect}: looks at the daemon, changes nothing. Thread-safe. */
public final class InspectService extends InspectGrpc.InspectImplBase {
    private final EventRing events;
    private final StatusHandler status;
    private final InventoryHandler holdings;
    private final DatabaseQueryHandler records;
    private final PluginHandler plugins;
    private final ApiCallHandler callBook;
    private final EmulatedCloudHandler cloud;
    private final ExplainHandler explain;
    private final HistoryHandler history;
    private final CniCheckHandler checks;
    private final TraceHandler traces;
    private final DoctorHandler doctor;
    private final ClusterHandler cluster;

    public InspectService(ServiceContext served) {
        TimeSource time = served.facts().time();
        this.events = served.events();
        this.status = new StatusHandler(served);
        this.cluster = new ClusterHandler(served);
        this.holdings = new InventoryHandler(served);
        this.records = new DatabaseQueryHandler(served.database(), time);
        this.plugins = new PluginHandler(served.plugins(), time);
        this.callBook = new ApiCallHandler(served.calls());
        this.cloud = new EmulatedCloudHandler(served.emulated());
        this.checks = new CniCheckHandler(served);
        this.traces = new TraceHandler(served.traces(), events, time);
        this.explain = new ExplainHandler(served.explainer());
        this.history = new HistoryHandler(served.history(), time);
        this.doctor = new DoctorHandler(served.doctor(), served.facts().version());
    }

    @Override
    public void getStatus(GetStatusRequest request, StreamObserver<GetStatusReply> observer) {
        UnaryReplies.sync(observer, status::status);
    }

    @Override
    public void getVersion(GetVersionRequest request, StreamObserver<GetVersionReply> observer) {
        UnaryReplies.sync(observer, status::version);
    }

    @Override
    public void getCluster(GetClusterRequest request, StreamObserver<GetClusterReply> observer) {
        cluster.get(observer);
    }

    @Override
    public void getConfig(GetConfigRequest request, StreamObserver<GetConfigReply> observer) {
        UnaryReplies.sync(observer, status::config);
    }

    @Override
    public void getCloud(GetCloudRequest request, StreamObserver<GetCloudReply> observer) {
        UnaryReplies.sync(observer, cloud::get);
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
        UnaryReplies.sync(observer, cloud::names);
    }

    @Override
    public void getPool(GetPoolRequest request, StreamObserver<GetPoolReply> observer) {
        UnaryReplies.sync(observer, holdings::pool);
    }

    @Override
    public void checkCni(CheckCniRequest request, StreamObserver<CheckCniReply> observer) {
        checks.check(request, observer);
    }

    @Override
    public void getCniStatus(GetCniStatusRequest request, StreamObserver<GetCniStatusReply> observer) {
        UnaryReplies.sync(observer, checks::status);
    }

    @Override
    public void listIdle(ListIdleRequest request, StreamObserver<ListIdleReply> observer) {
        holdings.idle(observer);
    }

    @Override
    public void listInUse(ListInUseRequest request, StreamObserver<ListInUseReply> observer) {
        holdings.inUse(observer);
    }

    @Override
    public void listEnis(ListEnisRequest request, StreamObserver<ListEnisReply> observer) {
        UnaryReplies.sync(observer, holdings::enis);
    }

    @Override
    public void getEni(GetEniRequest request, StreamObserver<GetEniReply> observer) {
        UnaryReplies.sync(observer, () -> holdings.eni(request));
    }

    @Override
    public void listPods(ListPodsRequest request, StreamObserver<ListPodsReply> observer) {
        holdings.pods(observer);
    }

    @Override
    public void getPod(GetPodRequest request, StreamObserver<GetPodReply> observer) {
        holdings.pod(request, observer);
    }

    @Override
    public void getGcStatus(GetGcStatusRequest request, StreamObserver<GetGcStatusReply> observer) {
        UnaryReplies.sync(observer, status::gc);
    }

    @Override
    public void dumpDb(DumpDbRequest request, StreamObserver<DumpDbReply> observer) {
        records.dump(request, observer);
    }

    @Override
    public void getDbRecord(GetDbRecordRequest request, StreamObserver<GetDbRecordReply> observer) {
        UnaryReplies.sync(observer, () -> records.one(request));
    }

    @Override
    public void verifyDb(VerifyDbRequest request, StreamObserver<VerifyDbReply> observer) {
        records.verify(observer);
    }

    @Override
    public void exportDb(ExportDbRequest request, StreamObserver<ExportDbReply> observer) {
        records.export(observer);
    }

    @Override
    public void watchEvents(WatchEventsRequest request, StreamObserver<WatchEventsReply> observer) {
        boolean ofThisRun = request.getRun().isEmpty() || request.getRun().equals(events.run());
        long after = ofThisRun ? request.getAfterSequence() : 0;
        if (request.getFollow()) {
            EventStream.follow((ServerCallStreamObserver<WatchEventsReply>) observer, events, after);
        } else {
            ChunkedReply.send(observer, events.after(after), some -> EventMapper.reply(some, events.run()));
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
        UnaryReplies.sync(observer, plugins::all);
    }

    @Override
    public void getPlugin(GetPluginRequest request, StreamObserver<GetPluginReply> observer) {
        UnaryReplies.sync(observer, () -> plugins.one(request));
    }

    @Override
    public void runDiagnostic(RunDiagnosticRequest request, StreamObserver<RunDiagnosticReply> observer) {
        plugins.diagnose(request, observer);
    }

    @Override
    public void listCloudCalls(ListCloudCallsRequest request, StreamObserver<ListCloudCallsReply> observer) {
        callBook.calls(request, observer);
    }

    @Override
    public void getCloudBudget(GetCloudBudgetRequest request, StreamObserver<GetCloudBudgetReply> observer) {
        UnaryReplies.sync(observer, callBook::budget);
    }

    @Override
    public void getHistory(GetHistoryRequest request, StreamObserver<GetHistoryReply> observer) {
        history.history(request, observer);
    }

    @Override
    public void getLog(GetLogRequest request, StreamObserver<GetLogReply> observer) {
        LogHandler.records(request, observer);
    }

    @Override
    public void getMeters(GetMetersRequest request, StreamObserver<GetMetersReply> observer) {
        UnaryReplies.sync(observer, history::meters);
    }
}

package io.enipam.frontends.rpc;

import io.enipam.engine.port.TimeSource;
import io.enipam.v1.DumpDbReply;
import io.enipam.v1.GetHistoryReply;
import io.enipam.v1.GetLogReply;
import io.enipam.v1.InspectGrpc;
import io.enipam.v1.ListCloudCallsReply;
import io.enipam.v1.ListIdleReply;
import io.enipam.v1.ListInUseReply;
import io.enipam.v1.ListPodsReply;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;

/** {@code enipam.v1.Inspect}: reads the daemon's state and changes nothing. Thread-safe. */
public final class InspectService implements BindableService {
    private final ServiceContext served;

    public InspectService(ServiceContext served) {
        this.served = served;
    }

    @Override
    public ServerServiceDefinition bindService() {
        TimeSource time = served.time();
        StatusHandler status = new StatusHandler(served);
        InventoryHandler inventory = new InventoryHandler(served);
        DatabaseQueryHandler database =
                new DatabaseQueryHandler(served.database().tools(), time);
        PluginHandler plugins = new PluginHandler(served.plugins(), time);
        ApiCallHandler calls = new ApiCallHandler(served.cloud().calls());
        EmulatedCloudHandler cloud = new EmulatedCloudHandler(served.cloud().emulated());
        HistoryHandler history = new HistoryHandler(served.diagnosis().history(), time);
        CniCheckHandler cni = new CniCheckHandler(served);
        EventHandler events = new EventHandler(served.diagnosis().events());
        TraceHandler traces =
                new TraceHandler(served.diagnosis().traces(), served.diagnosis().events(), time);
        DoctorHandler doctor =
                new DoctorHandler(served.diagnosis().doctor(), served.info().version());
        ExplainHandler explain = new ExplainHandler(served.diagnosis().explainer());
        ClusterHandler cluster = new ClusterHandler(served);
        return new ServiceTable(InspectGrpc.getServiceDescriptor())
                        .reply(InspectGrpc.getGetStatusMethod(), request -> status.status())
                        .reply(InspectGrpc.getGetVersionMethod(), request -> status.version())
                        .reply(InspectGrpc.getGetConfigMethod(), request -> status.config())
                        .reply(InspectGrpc.getGetGcStatusMethod(), request -> status.gc())
                        .later(InspectGrpc.getGetClusterMethod(), request -> cluster.get())
                        .reply(InspectGrpc.getGetCloudMethod(), request -> cloud.get())
                        .reply(InspectGrpc.getListCloudNamesMethod(), request -> cloud.names())
                        .list(
                                InspectGrpc.getListCloudCallsMethod(),
                                calls::calls,
                                some -> ListCloudCallsReply.newBuilder()
                                        .addAllCalls(some)
                                        .build())
                        .reply(InspectGrpc.getGetCloudBudgetMethod(), request -> calls.budget())
                        .later(InspectGrpc.getRunDoctorMethod(), doctor::run)
                        .reply(InspectGrpc.getListDoctorChecksMethod(), request -> doctor.list())
                        .reply(InspectGrpc.getGetPoolMethod(), request -> inventory.pool())
                        .list(
                                InspectGrpc.getListIdleMethod(),
                                request -> inventory.idle(),
                                some -> ListIdleReply.newBuilder()
                                        .addAllEntries(some)
                                        .build())
                        .list(
                                InspectGrpc.getListInUseMethod(),
                                request -> inventory.inUse(),
                                some -> ListInUseReply.newBuilder()
                                        .addAllLeases(some)
                                        .build())
                        .reply(InspectGrpc.getListEnisMethod(), request -> inventory.enis())
                        .reply(InspectGrpc.getGetEniMethod(), inventory::eni)
                        .list(
                                InspectGrpc.getListPodsMethod(),
                                request -> inventory.pods(),
                                some -> ListPodsReply.newBuilder()
                                        .addAllPods(some)
                                        .build())
                        .later(InspectGrpc.getGetPodMethod(), inventory::pod)
                        .later(InspectGrpc.getCheckCniMethod(), cni::check)
                        .reply(InspectGrpc.getGetCniStatusMethod(), request -> cni.status())
                        .list(
                                InspectGrpc.getDumpDbMethod(),
                                database::dump,
                                some -> DumpDbReply.newBuilder()
                                        .addAllRecords(some)
                                        .build())
                        .reply(InspectGrpc.getGetDbRecordMethod(), database::one)
                        .later(InspectGrpc.getVerifyDbMethod(), request -> database.verify())
                        .stream(InspectGrpc.getExportDbMethod(), (request, observer) -> database.export(observer))
                        .stream(InspectGrpc.getWatchEventsMethod(), events::watch)
                        .list(InspectGrpc.getGetTraceMethod(), traces::parts, TraceHandler::merged, TraceHandler::chunk)
                        .later(InspectGrpc.getExplainMethod(), explain::explain)
                        .reply(InspectGrpc.getListPluginsMethod(), request -> plugins.all())
                        .reply(InspectGrpc.getGetPluginMethod(), plugins::one)
                        .later(InspectGrpc.getRunDiagnosticMethod(), plugins::diagnose)
                        .list(
                                InspectGrpc.getGetHistoryMethod(),
                                history::samples,
                                some -> GetHistoryReply.newBuilder()
                                        .addAllSamples(some)
                                        .build())
                        .reply(InspectGrpc.getGetMetersMethod(), request -> history.meters())
                        .list(
                                InspectGrpc.getGetLogMethod(),
                                LogHandler::records,
                                some -> GetLogReply.newBuilder()
                                        .addAllRecords(some)
                                        .build())
                        .build();
    }
}

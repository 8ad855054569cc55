package io.enipam.frontends.rpc;

import io.enipam.v1.InspectGrpc;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;

/** {@code enipam.v1.Inspect}: reads the daemon's state and changes nothing. Thread-safe. */
public record InspectService(ServiceContext served) implements BindableService {
    @Override
    public ServerServiceDefinition bindService() {
        ServiceContext.Diagnosis diagnosis = served.diagnosis();
        StatusHandler status = new StatusHandler(served);
        InventoryHandler inventory = new InventoryHandler(served);
        DatabaseHandler database = new DatabaseHandler(served.database().tools(), served.time());
        PluginHandler plugins = new PluginHandler(served.plugins());
        ApiCallHandler calls = new ApiCallHandler(served.cloud().calls());
        EmulatedCloudHandler cloud = new EmulatedCloudHandler(served.cloud().emulated());
        HistoryHandler history = new HistoryHandler(diagnosis.history(), served.time());
        CniCallHandler cni = new CniCallHandler(served);
        EventHandler events = new EventHandler(diagnosis.events());
        TraceHandler traces = new TraceHandler(diagnosis.traces(), diagnosis.events(), served.time());
        DoctorHandler doctor =
                new DoctorHandler(diagnosis.doctor(), served.info().version());
        ExplainHandler explain = new ExplainHandler(diagnosis.explainer());
        return new ServiceTable(InspectGrpc.getServiceDescriptor(), served.time()::nanoTime)
                        .reply(InspectGrpc.getGetStatusMethod(), request -> status.status())
                        .reply(InspectGrpc.getGetVersionMethod(), request -> status.version())
                        .reply(InspectGrpc.getGetConfigMethod(), request -> status.config())
                        .reply(InspectGrpc.getGetGcStatusMethod(), request -> status.gc())
                        .later(InspectGrpc.getGetClusterMethod(), request -> status.cluster())
                        .reply(InspectGrpc.getGetCloudMethod(), request -> cloud.get())
                        .reply(InspectGrpc.getListCloudNamesMethod(), request -> cloud.names())
                        .list(InspectGrpc.getListCloudCallsMethod(), calls::calls)
                        .reply(InspectGrpc.getGetCloudBudgetMethod(), request -> calls.budget())
                        .later(InspectGrpc.getRunDoctorMethod(), doctor::run)
                        .reply(InspectGrpc.getListDoctorChecksMethod(), request -> doctor.list())
                        .reply(InspectGrpc.getGetPoolMethod(), request -> inventory.pool())
                        .list(InspectGrpc.getListIdleMethod(), request -> inventory.idle())
                        .list(InspectGrpc.getListInUseMethod(), request -> inventory.inUse())
                        .reply(InspectGrpc.getListEnisMethod(), request -> inventory.enis())
                        .reply(InspectGrpc.getGetEniMethod(), inventory::eni)
                        .list(InspectGrpc.getListPodsMethod(), request -> inventory.pods())
                        .later(InspectGrpc.getGetPodMethod(), inventory::pod)
                        .later(InspectGrpc.getCheckCniMethod(), cni::check)
                        .reply(InspectGrpc.getGetCniStatusMethod(), request -> cni.status())
                        .list(InspectGrpc.getDumpDbMethod(), database::dump)
                        .reply(InspectGrpc.getGetDbRecordMethod(), database::one)
                        .later(InspectGrpc.getVerifyDbMethod(), request -> database.verify())
                        .stream(InspectGrpc.getExportDbMethod(), (request, observer) -> database.export(observer))
                        .stream(InspectGrpc.getWatchEventsMethod(), events::watch)
                        .stream(InspectGrpc.getGetTraceMethod(), traces::send)
                        .later(InspectGrpc.getExplainMethod(), explain::explain)
                        .reply(InspectGrpc.getListPluginsMethod(), request -> plugins.all())
                        .reply(InspectGrpc.getGetPluginMethod(), plugins::one)
                        .reply(InspectGrpc.getListPluginEffectsMethod(), plugins::effects)
                        .list(InspectGrpc.getListPluginGrantsMethod(), plugins::grants)
                        .later(InspectGrpc.getRunDiagnosticMethod(), plugins::diagnose)
                        .later(InspectGrpc.getListCommandsMethod(), request -> plugins.commands())
                        .later(InspectGrpc.getRunCommandMethod(), plugins::read)
                        .later(InspectGrpc.getCompleteCommandMethod(), plugins::complete)
                        .list(InspectGrpc.getGetHistoryMethod(), history::samples)
                        .reply(InspectGrpc.getGetMetersMethod(), request -> history.meters())
                        .list(InspectGrpc.getGetLogMethod(), StatusHandler::log)
                        .build();
    }
}

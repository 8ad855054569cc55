package io.enipam.frontends.rpc;

import io.enipam.engine.Poolless;
import io.enipam.pluginhost.operator.PluginExplanations;
import io.enipam.v1.InspectGrpc;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import java.nio.file.Path;

/** {@code enipam.v1.Inspect}: reads the daemon's state and changes nothing. Thread-safe. */
record InspectService(ServiceContext served, AuditLog auditLog) implements BindableService {
    @Override
    public ServerServiceDefinition bindService() {
        ServiceTable table = new ServiceTable(InspectGrpc.getServiceDescriptor(), served.time()::nanoTime);
        ofEachRole(table);
        served.node().ifPresent(node -> ofNode(table, node));
        return table.refuseOthers(Poolless::refusal).build();
    }

    private void ofEachRole(ServiceTable table) {
        ServiceContext.Diagnosis diagnosis = served.diagnosis();
        StatusHandler status = new StatusHandler(served);
        DatabaseHandler database = new DatabaseHandler(served.database().tools(), served.time());
        PluginHandler plugins = new PluginHandler(served.plugins());
        EventHandler events =
                new EventHandler(diagnosis.events(), diagnosis.past().events());
        TraceHandler traces = new TraceHandler(diagnosis.traces(), diagnosis.events(), diagnosis.past(), served.time());
        DoctorHandler doctor =
                new DoctorHandler(diagnosis.doctor(), served.info().version());
        ExplainHandler explain = new ExplainHandler(
                served.node().map(ServiceContext.Node::explainer),
                new PluginExplanations(served.plugins().commands()));
        AuditHandler audit = new AuditHandler(auditLog, Path.of("/etc/passwd"));
        ApiCallHandler calls = new ApiCallHandler(diagnosis.calls());
        table
                .reply(InspectGrpc.getGetStatusMethod(), request -> status.status())
                .reply(InspectGrpc.getGetVersionMethod(), request -> status.version())
                .reply(InspectGrpc.getGetConfigMethod(), request -> status.config())
                .later(InspectGrpc.getRunDoctorMethod(), doctor::run)
                .reply(InspectGrpc.getListDoctorChecksMethod(), request -> doctor.list())
                .list(InspectGrpc.getDumpDbMethod(), database::dump)
                .reply(InspectGrpc.getGetDbRecordMethod(), database::one)
                .later(InspectGrpc.getVerifyDbMethod(), request -> database.verify())
                .stream(InspectGrpc.getExportDbMethod(), (request, observer) -> database.export(observer))
                .stream(InspectGrpc.getWatchEventsMethod(), events::watch)
                .list(InspectGrpc.getListCloudCallsMethod(), calls::calls)
                .reply(InspectGrpc.getGetCloudBudgetMethod(), request -> calls.budget())
                .stream(InspectGrpc.getGetTraceMethod(), traces::send)
                .reply(InspectGrpc.getListPluginsMethod(), request -> plugins.all())
                .reply(InspectGrpc.getGetPluginMethod(), plugins::one)
                .reply(InspectGrpc.getListPluginEffectsMethod(), plugins::effects)
                .list(InspectGrpc.getListPluginGrantsMethod(), plugins::grants)
                .list(InspectGrpc.getListPluginBallotsMethod(), plugins::ballots)
                .later(InspectGrpc.getRunDiagnosticMethod(), plugins::diagnose)
                .later(InspectGrpc.getListCommandsMethod(), request -> plugins.commands())
                .later(InspectGrpc.getRunCommandMethod(), plugins::read)
                .stream(
                        InspectGrpc.getFollowCommandMethod(),
                        (request, observer) -> plugins.follow(
                                request,
                                observer,
                                failure -> table.failure(InspectGrpc.getFollowCommandMethod(), failure)))
                .later(InspectGrpc.getCompleteCommandMethod(), plugins::complete)
                .later(InspectGrpc.getExplainMethod(), explain::explain)
                .list(InspectGrpc.getListAuditMethod(), audit::entries)
                .list(InspectGrpc.getGetLogMethod(), StatusHandler::log);
    }

    private void ofNode(ServiceTable table, ServiceContext.Node node) {
        StatusHandler status = new StatusHandler(served);
        InventoryHandler inventory = new InventoryHandler(served, node);
        EmulatedCloudHandler cloud = new EmulatedCloudHandler(node.cloud().emulated());
        HistoryHandler history =
                new HistoryHandler(node.history(), served.diagnosis().past().samples(), served.time());
        CniCallHandler cni = new CniCallHandler(served, node);
        LeaseHistoryHandler leases =
                new LeaseHistoryHandler(served.engine(), served.database().history());
        table.reply(InspectGrpc.getGetGcStatusMethod(), request -> status.gc())
                .later(InspectGrpc.getGetClusterMethod(), request -> status.cluster(node))
                .reply(InspectGrpc.getGetCloudMethod(), request -> cloud.get())
                .reply(InspectGrpc.getListCloudNamesMethod(), request -> cloud.names())
                .reply(InspectGrpc.getGetPoolMethod(), request -> inventory.pool())
                .list(InspectGrpc.getListIdleMethod(), request -> inventory.idle())
                .list(InspectGrpc.getListInUseMethod(), request -> inventory.inUse())
                .reply(InspectGrpc.getListEnisMethod(), request -> inventory.enis())
                .reply(InspectGrpc.getGetEniMethod(), inventory::eni)
                .list(InspectGrpc.getListPodsMethod(), request -> inventory.pods())
                .later(InspectGrpc.getGetPodMethod(), inventory::pod)
                .later(InspectGrpc.getCheckCniMethod(), cni::check)
                .reply(InspectGrpc.getGetCniStatusMethod(), request -> cni.status())
                .reply(InspectGrpc.getGetLeaseHistoryMethod(), leases::find)
                .list(InspectGrpc.getGetHistoryMethod(), history::samples)
                .reply(InspectGrpc.getGetMetersMethod(), request -> history.meters());
    }
}

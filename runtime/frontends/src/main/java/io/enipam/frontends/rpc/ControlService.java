package io.enipam.frontends.rpc;

import io.enipam.engine.IpamEngine;
import io.enipam.engine.PendingWork;
import io.enipam.engine.Poolless;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.sdk.PodRef;
import io.enipam.v1.ControlGrpc;
import io.enipam.v1.DeletePodReply;
import io.enipam.v1.DeletePodRequest;
import io.enipam.v1.RetryPoolReply;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;

/** {@code enipam.v1.Control}: changes the daemon's state. {@link AccessRules} has checked the caller. Thread-safe. */
record ControlService(ServiceContext served) implements BindableService {
    @Override
    public ServerServiceDefinition bindService() {
        ServiceTable table = new ServiceTable(ControlGrpc.getServiceDescriptor(), served.time()::nanoTime);
        ofEachRole(table);
        served.node().ifPresent(node -> ofNode(table, node));
        return table.refuseOthers(Poolless::refusal).build();
    }

    private void ofEachRole(ServiceTable table) {
        DatabaseHandler database = new DatabaseHandler(served.database().tools(), served.time());
        DoctorHandler doctor =
                new DoctorHandler(served.diagnosis().doctor(), served.info().version());
        PluginHandler plugins = new PluginHandler(served.plugins());
        table.later(ControlGrpc.getBackupDbMethod(), database::backup)
                .later(ControlGrpc.getRestoreDbMethod(), database::restore)
                .receive(ControlGrpc.getImportDbMethod(), database::receive)
                .later(ControlGrpc.getCompactDbMethod(), request -> database.compact())
                .later(ControlGrpc.getRepairFindingMethod(), doctor::repair)
                .later(ControlGrpc.getChangeByCommandMethod(), plugins::change)
                .reply(ControlGrpc.getRetryPluginEffectsMethod(), plugins::retryEffects)
                .later(ControlGrpc.getDropPluginEffectMethod(), plugins::dropEffect)
                .later(ControlGrpc.getReloadPluginMethod(), plugins::reload);
    }

    private void ofNode(ServiceTable table, ServiceContext.Node node) {
        IpamEngine engine = served.engine();
        CniCallHandler cni = new CniCallHandler(served, node);
        EmulatedCloudHandler cloud = new EmulatedCloudHandler(node.cloud().emulated());
        OverrideHandler overrides = new OverrideHandler(node.overrides());
        PluginHandler plugins = new PluginHandler(served.plugins());
        table.later(ControlGrpc.getCniAddMethod(), cni::add)
                .later(ControlGrpc.getCniDelMethod(), cni::del)
                .later(ControlGrpc.getCniGcMethod(), cni::gc)
                .later(
                        ControlGrpc.getRunGcMethod(),
                        request -> engine.collect(request.getDryRun()).thenApply(PoolMapper::report))
                .later(
                        ControlGrpc.getSyncPoolMethod(),
                        request -> engine.reconcile(request.getAcceptLoss()).thenApply(PoolMapper::report))
                .reply(ControlGrpc.getRetryPoolMethod(), request -> retry(engine))
                .reply(ControlGrpc.getWarmPoolMethod(), overrides::warm)
                .reply(ControlGrpc.getDrainPoolMethod(), overrides::drain)
                .later(
                        ControlGrpc.getSweepEnisMethod(),
                        request -> node.cloud().sweeper().sweep(request.getDryRun()))
                .reply(ControlGrpc.getDeletePodMethod(), request -> deletePod(request, node))
                .reply(ControlGrpc.getAddCloudFaultMethod(), cloud::add)
                .reply(ControlGrpc.getRemoveCloudFaultMethod(), cloud::remove)
                .reply(ControlGrpc.getSetCloudLatencyMethod(), cloud::latency)
                .reply(ControlGrpc.getSetCloudThrottleMethod(), cloud::throttle)
                .reply(ControlGrpc.getResetCloudMethod(), request -> cloud.reset())
                .reply(ControlGrpc.getActOnCloudMethod(), cloud::act)
                .later(ControlGrpc.getSwapPolicyMethod(), plugins::swapPolicy)
                .later(ControlGrpc.getSwapFactoryMethod(), plugins::swapFactory)
                .reply(ControlGrpc.getCancelSwapMethod(), request -> plugins.cancelSwap());
    }

    private static RetryPoolReply retry(IpamEngine engine) {
        PendingWork before = engine.pendingWork();
        engine.retryCreates();
        RetryPoolReply.Builder reply =
                RetryPoolReply.newBuilder().setWaiting(before.queue().size());
        before.createTrouble()
                .ifPresent(last -> reply.setLastFailure(last.message()).setFailingSince(Proto.timestamp(last.since())));
        return reply.build();
    }

    private DeletePodReply deletePod(DeletePodRequest request, ServiceContext.Node node) {
        PodRef pod = GrpcFailures.pod(request.getPod());
        node.pods().delete(pod);
        return DeletePodReply.newBuilder()
                .setPod(pod.toString())
                .addAllLeases(Proto.all(served.engine().leasesOf(pod), PoolMapper::lease))
                .build();
    }
}

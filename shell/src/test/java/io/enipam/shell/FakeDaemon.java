package io.enipam.shell;

import com.google.protobuf.MessageLite;
import com.google.protobuf.MessageLiteOrBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.stub.ServerCalls;
import java.util.HashMap;
import java.util.function.Function;
import com.google.protobuf.util.Durations;
import io.enipam.v1.ActOnCloudReply;
import io.enipam.v1.ActOnCloudRequest;
import io.enipam.v1.AddCloudFaultReply;
import io.enipam.v1.AddCloudFaultRequest;
import io.enipam.v1.BackupDbReply;
import io.enipam.v1.BackupDbRequest;
import io.enipam.v1.CheckCniReply;
import io.enipam.v1.CheckCniRequest;
import io.enipam.v1.CniAddReply;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniDelReply;
import io.enipam.v1.CniDelRequest;
import io.enipam.v1.CniGcReply;
import io.enipam.v1.CniGcRequest;
import io.enipam.v1.CompactDbReply;
import io.enipam.v1.CompactDbRequest;
import io.enipam.v1.ControlGrpc;
import io.enipam.v1.DbImport;
import io.enipam.v1.DeletePodReply;
import io.enipam.v1.DeletePodRequest;
import io.enipam.v1.DrainPoolReply;
import io.enipam.v1.DrainPoolRequest;
import io.enipam.v1.DumpDbReply;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.ErrorDetail;
import io.enipam.v1.Event;
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
import io.enipam.v1.ImportDbReply;
import io.enipam.v1.ImportDbRequest;
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
import io.enipam.v1.Owner;
import io.enipam.v1.RemoveCloudFaultReply;
import io.enipam.v1.RemoveCloudFaultRequest;
import io.enipam.v1.RepairFindingReply;
import io.enipam.v1.RepairFindingRequest;
import io.enipam.v1.ResetCloudReply;
import io.enipam.v1.ResetCloudRequest;
import io.enipam.v1.RestoreDbReply;
import io.enipam.v1.RestoreDbRequest;
import io.enipam.v1.RunDiagnosticReply;
import io.enipam.v1.RunDiagnosticRequest;
import io.enipam.v1.RunDoctorReply;
import io.enipam.v1.RunDoctorRequest;
import io.enipam.v1.RunGcReply;
import io.enipam.v1.RunGcRequest;
import io.enipam.v1.SetCloudLatencyReply;
import io.enipam.v1.SetCloudLatencyRequest;
import io.enipam.v1.SetCloudThrottleReply;
import io.enipam.v1.SetCloudThrottleRequest;
import io.enipam.v1.SwapFactoryReply;
import io.enipam.v1.SwapFactoryRequest;
import io.enipam.v1.SwapPolicyReply;
import io.enipam.v1.SwapPolicyRequest;
import io.enipam.v1.SweepEnisReply;
import io.enipam.v1.SweepEnisRequest;
import io.enipam.v1.SyncPoolReply;
import io.enipam.v1.SyncPoolRequest;
import io.enipam.v1.VerifyDbReply;
import io.enipam.v1.VerifyDbRequest;
import io.enipam.v1.WarmPoolReply;
import io.enipam.v1.WarmPoolRequest;
import io.enipam.v1.WatchEventsReply;
import io.enipam.v1.WatchEventsRequest;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.protobuf.lite.ProtoLiteUtils;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A daemon that answers from a script, on a real unix socket. What a test does not script is answered from {@link CannedReplies};
 * another reply, a refusal or silence can be had for each method, by the type of its request.
 */
public final class FakeDaemon implements AutoCloseable {
    private static final Metadata.Key<ErrorDetail> DETAIL =
            Metadata.Key.of("enipam-error-bin", ProtoLiteUtils.metadataMarshaller(ErrorDetail.getDefaultInstance()));

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final Server server;
    private final Map<Class<?>, Function<MessageLite, List<? extends MessageLiteOrBuilder>>> canned = new HashMap<>();
    private final Map<Class<?>, Object> script = new ConcurrentHashMap<>();
    private final List<MessageLite> received = new CopyOnWriteArrayList<>();
    private final List<String> cancelled = new CopyOnWriteArrayList<>();
    private final List<Event> furtherEvents = new CopyOnWriteArrayList<>();

    private enum Silence {
        SILENCE
    }

    /** Names this run, as a daemon's events do. */
    private final String run = UUID.randomUUID().toString();

    public FakeDaemon(Path socket) throws IOException {
        inspecting();
        controlling();
        this.server = NettyServerBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                .channelType(EpollServerDomainSocketChannel.class)
                .bossEventLoopGroup(group)
                .workerEventLoopGroup(group)
                .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                .addService(service(InspectGrpc.getServiceDescriptor()))
                .addService(service(ControlGrpc.getServiceDescriptor()))
                .build()
                .start();
    }

    /** A service that answers every method with a canned reply from the map. */
    private ServerServiceDefinition service(ServiceDescriptor descriptor) {
        ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(descriptor);
        descriptor.getMethods().forEach(method -> served(service, method));
        return service.build();
    }

    @SuppressWarnings("unchecked") // all requests and replies of the two services are messages
    private void served(ServerServiceDefinition.Builder service, MethodDescriptor<?, ?> method) {
        switch (method.getType()) {
            case UNARY ->
                service.addMethod(
                        (MethodDescriptor<MessageLite, MessageLite>) method,
                        ServerCalls.asyncUnaryCall(this::reply));
            case SERVER_STREAMING ->
                service.addMethod(
                        (MethodDescriptor<MessageLite, MessageLite>) method,
                        ServerCalls.asyncServerStreamingCall(this::reply));
            default ->
                service.addMethod(
                        (MethodDescriptor<ImportDbRequest, MessageLite>) method,
                        ServerCalls.asyncClientStreamingCall(this::imported));
        }
    }

    private <Q extends MessageLite> void on(Class<Q> request, Function<Q, MessageLiteOrBuilder> reply) {
        onParts(request, asked -> List.of(reply.apply(asked)));
    }

    private <Q extends MessageLite> void onParts(
            Class<Q> request, Function<Q, List<? extends MessageLiteOrBuilder>> parts) {
        canned.put(request, asked -> parts.apply(request.cast(asked)));
    }

    /** All requests that arrived. */
    public List<MessageLite> received() {
        return received;
    }

    /** The requests, by name, whose caller went away before the answer. */
    public List<String> cancelled() {
        return cancelled;
    }

    /** Answers requests of this type with this. */
    public void answer(Class<? extends MessageLite> request, MessageLite reply) {
        script.put(request, reply);
    }

    /** Refuses requests of this type as the daemon does. */
    public void refuse(Class<? extends MessageLite> request, ErrorDetail detail) {
        Metadata trailers = new Metadata();
        trailers.put(DETAIL, detail);
        script.put(
                request,
                Status.RESOURCE_EXHAUSTED.withDescription("status text").asRuntimeException(trailers));
    }

    /** Fails requests of this type with a bare status. */
    public void fail(Class<? extends MessageLite> request, Status status) {
        script.put(request, status.asRuntimeException());
    }

    /** Never answers requests of this type. */
    public void hang(Class<? extends MessageLite> request) {
        script.put(request, Silence.SILENCE);
    }

    @Override
    public void close() {
        server.shutdownNow();
        awaitEnd(); // who ends the event loop before the connections leaves clients that wait for ever
        group.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS).awaitUninterruptibly();
    }

    private void awaitEnd() {
        try {
            server.awaitTermination(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void reply(MessageLite request, StreamObserver<MessageLite> to) {
        received.add(request);
        @Nullable Object scripted = script.get(request.getClass());
        boolean follows = request instanceof WatchEventsRequest watch && watch.getFollow();
        if (scripted instanceof StatusRuntimeException refusal) {
            to.onError(refusal);
            return;
        }
        if (scripted instanceof Silence || follows) {
            ((ServerCallStreamObserver<MessageLite>) to)
                    .setOnCancelHandler(() -> cancelled.add(request.getClass().getSimpleName()));
        }
        if (scripted instanceof MessageLite reply) {
            to.onNext(reply);
        } else if (scripted == null) {
            canned.get(request.getClass()).apply(request).forEach(part -> to.onNext(built(part)));
        }
        if (!(scripted instanceof Silence) && !follows) {
            to.onCompleted();
        }
    }

    private static MessageLite built(MessageLiteOrBuilder part) {
        return part instanceof MessageLite.Builder builder ? builder.build() : (MessageLite) part;
    }

    private StreamObserver<ImportDbRequest> imported(StreamObserver<MessageLite> to) {
        return new StreamObserver<>() {
            private DbImport header = DbImport.getDefaultInstance();

            @Override
            public void onNext(ImportDbRequest part) {
                received.add(part);
                if (part.hasImport()) {
                    header = part.getImport();
                }
            }

            @Override
            public void onError(Throwable goneAway) {
                cancelled.add("ImportDbRequest");
            }

            @Override
            public void onCompleted() {
                reply(header, to);
            }
        };
    }

    /** Tells this event, too, from now on. */
    public void happened(Event event) {
        furtherEvents.add(event);
    }

    private void inspecting() {
        on(GetHistoryRequest.class, request -> CannedHistory.samples());
        on(GetLogRequest.class, request -> GetLogReply.newBuilder().addAllRecords(CannedLog.records()));
        on(GetClusterRequest.class, request -> GetClusterReply.newBuilder().setStatus(CannedReplies.cluster()));
        on(GetMetersRequest.class, request -> CannedSamples.meters());
        on(CheckCniRequest.class, request -> CannedOverrides.check(request));
        on(GetCniStatusRequest.class, request -> GetCniStatusReply.newBuilder().setReady(true));
        on(GetStatusRequest.class, request -> CannedReplies.status());
        on(GetVersionRequest.class, request -> GetVersionReply.newBuilder().setVersion("0.1.0").setJava("17.0.15").setOs("Linux 6.1 amd64"));
        on(GetConfigRequest.class, request -> GetConfigReply.newBuilder().addEntries(CannedReplies.config("pool.min_idle", "2", "eni.json", "Fewest idle addresses; 0 or more")).addEntries(CannedReplies.config("cloud.access_secret", "***", "enipam.yaml", "Never shown")));
        on(RunDoctorRequest.class, request -> CannedDoctor.diagnosis());
        on(ListDoctorChecksRequest.class, request -> CannedDoctor.checks());
        on(GetPoolRequest.class, request -> GetPoolReply.newBuilder().setPool(CannedReplies.pool()));
        onParts(ListIdleRequest.class, request -> List.of(ListIdleReply.newBuilder().addEntries(CannedReplies.entry(7, "IDLE", 12)).build(), ListIdleReply.newBuilder().addEntries(CannedReplies.entry(8, "COOLING", 10).toBuilder().setUntil(CannedReplies.ago(-20)).setPod("default/old-0")).build()));
        onParts(ListInUseRequest.class, request -> List.of(ListInUseReply.newBuilder().addLeases(CannedReplies.lease("default/web-0", 3, 12).toBuilder().setState("IN_USE")).build(), ListInUseReply.newBuilder().addLeases(CannedReplies.lease("kube-system/coredns-5c98db65d4-x2x7q", 14, 190).toBuilder().setState("INVALID")).build()));
        on(ListEnisRequest.class, request -> ListEnisReply.newBuilder().addEnis(CannedReplies.eni("eni-1")).addEnis(CannedReplies.eni("eni-2").toBuilder().setState("Attaching")));
        on(GetCloudRequest.class, request -> CannedCloud.cloud());
        on(ListCloudNamesRequest.class, request -> CannedCloud.names());
        on(GetEniRequest.class, request -> GetEniReply.newBuilder().setEni(CannedReplies.eni(request.getId())));
        onParts(ListCloudCallsRequest.class, request -> List.of(ListCloudCallsReply.newBuilder().addCalls(CannedReplies.call(9, "AttachNetworkInterface", "eni-1", 1200, "")).build(), ListCloudCallsReply.newBuilder().addCalls(CannedReplies.call(8, "CreateNetworkInterface", "vsw-a", 12, "Throttling.User")).build()));
        on(GetCloudBudgetRequest.class, request -> GetCloudBudgetReply.newBuilder().addApis(CannedReplies.throttledApi()).addApis(CannedReplies.untouchedApi()));
        onParts(ListPodsRequest.class, request -> List.of(ListPodsReply.newBuilder().addPods(CannedReplies.pod("default/web-0", true, false, CannedReplies.lease("default/web-0", 3, 12))).addPods(CannedReplies.pod("default/job-9", true, true)).build(), ListPodsReply.newBuilder().addPods(CannedReplies.pod("kube-system/lost", false, false)).build()));
        on(GetPodRequest.class, request -> GetPodReply.newBuilder().setPod(CannedReplies.pod(request.getPod(), true, false, CannedReplies.lease(request.getPod(), 3, 12))));
        on(ExplainRequest.class, request -> CannedExplain.reply(request));
        on(GetGcStatusRequest.class, request -> GetGcStatusReply.newBuilder().setLast(CannedReplies.gc(false)).setInterval(Durations.fromMinutes(5)));
        onParts(DumpDbRequest.class, request -> CannedDb.records().filter(record -> request.getBucket().isEmpty() || request.getBucket().equals(record.getBucket())).map(record ->DumpDbReply.newBuilder().addRecords(record).build()).toList());
        on(VerifyDbRequest.class, request -> CannedDb.sound());
        onParts(ExportDbRequest.class, request -> List.of(CannedDb.export()));
        on(GetDbRecordRequest.class, request -> GetDbRecordReply.newBuilder().setRecord(CannedReplies.record("leases", "enipam/sim-3/eth0", "{\"pod\":\"default/web-0\",\"n\":1}")));
        on(ListPluginsRequest.class, request -> ListPluginsReply.newBuilder().addAllPlugins(CannedPlugins.all()));
        on(GetPluginRequest.class, request -> GetPluginReply.newBuilder().setPlugin(CannedPlugins.plugin(request.getId())));
        on(RunDiagnosticRequest.class, request -> CannedPlugins.demand(request.getArgumentsMap()));
        on(GetTraceRequest.class, request -> CannedTrace.reply(request, CannedReplies.NOW.toEpochMilli()));
        onParts(
                WatchEventsRequest.class,
                request -> List.of(
                        WatchEventsReply.newBuilder()
                                .setRun(run)
                                .addEvents(CannedReplies.event(1, "INFO", "10.0.1.3/24 from eni-1")),
                        WatchEventsReply.newBuilder()
                                .setRun(run)
                                .addEvents(CannedReplies.event(2, "WARNING", "waited 2 s"))
                                .addAllEvents(furtherEvents)));
    }

    private void controlling() {
        on(DbImport.class, header -> ImportDbReply.newBuilder()
                .setRestore(CannedDb.restore(header.getName(), header.getDryRun())));
        on(WarmPoolRequest.class, request -> CannedOverrides.warm(request));
        on(DrainPoolRequest.class, request -> CannedOverrides.drain(request));
        on(BackupDbRequest.class, request -> CannedDb.backup(request.getPath()));
        on(RestoreDbRequest.class, request -> RestoreDbReply.newBuilder().setRestore(CannedDb.restore(request.getPath(), request.getDryRun())));
        on(CompactDbRequest.class, request -> CannedDb.compaction());
        on(CniAddRequest.class, request -> CniAddReply.newBuilder().setLease(CannedReplies.lease(request.getPod(), 3, 0)).setTook(Durations.fromMillis(12)));
        on(CniDelRequest.class, request -> CniDelReply.newBuilder().setReleased(CannedReplies.lease(request.getPod(), 3, 90)).setState("COOLING").setUntil(CannedReplies.ago(-30)).setTook(Durations.fromMillis(3)));
        on(CniGcRequest.class, request -> CniGcReply.newBuilder().setReport(CannedReplies.gc(request.getDryRun())).addDisconnected(Owner.newBuilder().setNetwork("terway").setContainer("4711").setIfname("eth0")));
        on(RunGcRequest.class, request -> RunGcReply.newBuilder().setReport(CannedReplies.gc(request.getDryRun())));
        on(SyncPoolRequest.class, request -> SyncPoolReply.newBuilder().setReport(CannedReplies.sync()));
        on(RepairFindingRequest.class, request -> CannedDoctor.repair(request.getDryRun()));
        on(SweepEnisRequest.class, request -> SweepEnisReply.newBuilder().setReport(CannedReplies.sweep(request.getDryRun())));
        on(SwapPolicyRequest.class, request -> SwapPolicyReply.newBuilder().setFrom("watermark").setTo(request.getName()).setTook(Durations.fromMillis(2)));
        on(SwapFactoryRequest.class, request -> SwapFactoryReply.newBuilder().setFrom("eni-ip").setTo(request.getName()).setLeavingResources(5).setLeavingLeases(3).setTook(Durations.fromMillis(1340)));
        on(AddCloudFaultRequest.class, request -> CannedCloud.added(request.getFault()));
        on(RemoveCloudFaultRequest.class, request -> CannedCloud.removed(request.getId()));
        on(SetCloudLatencyRequest.class, request -> SetCloudLatencyReply.newBuilder().setFrom("none").setTo(request.getLatency()));
        on(SetCloudThrottleRequest.class, request -> SetCloudThrottleReply.newBuilder().setFrom("off").setTo(request.getThrottle()));
        on(ResetCloudRequest.class, request -> CannedCloud.reset());
        on(ActOnCloudRequest.class, request -> CannedCloud.acted(request));
        on(DeletePodRequest.class, request -> DeletePodReply.newBuilder().setPod(request.getPod()).addLeases(CannedReplies.lease(request.getPod(), 3, 90)));
    }
}

package io.enipam.shell;

import com.google.protobuf.MessageLite;
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
 * an empty reply, a refusal or silence can be had for each method, by the type of its request.
 */
public final class FakeDaemon implements AutoCloseable {
    private static final Metadata.Key<ErrorDetail> DETAIL =
            Metadata.Key.of("enipam-error-bin", ProtoLiteUtils.metadataMarshaller(ErrorDetail.getDefaultInstance()));

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final Server server;
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
        this.server = NettyServerBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                .channelType(EpollServerDomainSocketChannel.class)
                .bossEventLoopGroup(group)
                .workerEventLoopGroup(group)
                .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                .addService(new Inspecting())
                .addService(new Controlling())
                .build()
                .start();
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

    @SafeVarargs
    @SuppressWarnings("unchecked") // a test that scripts a reply of another type fails at once, and should
    private final <T> void reply(MessageLite request, StreamObserver<T> to, T... canned) {
        received.add(request);
        @Nullable Object scripted = script.get(request.getClass());
        if (scripted instanceof StatusRuntimeException refusal) {
            to.onError(refusal);
        } else if (scripted instanceof Silence) {
            ((ServerCallStreamObserver<T>) to)
                    .setOnCancelHandler(() -> cancelled.add(request.getClass().getSimpleName()));
        } else if (scripted != null) {
            to.onNext((T) scripted);
            to.onCompleted();
        } else {
            for (T part : canned) {
                to.onNext(part);
            }
            to.onCompleted();
        }
    }

    private final class Inspecting extends InspectGrpc.InspectImplBase {
        @Override
        public void getHistory(GetHistoryRequest request, StreamObserver<GetHistoryReply> to) {
            reply(request, to, CannedHistory.samples());
        }

        @Override
        public void getLog(GetLogRequest request, StreamObserver<GetLogReply> to) {
            reply(
                    request,
                    to,
                    GetLogReply.newBuilder().addAllRecords(CannedLog.records()).build());
        }

        @Override
        public void getCluster(GetClusterRequest request, StreamObserver<GetClusterReply> to) {
            reply(
                    request,
                    to,
                    GetClusterReply.newBuilder()
                            .setStatus(CannedReplies.cluster())
                            .build());
        }

        @Override
        public void getMeters(GetMetersRequest request, StreamObserver<GetMetersReply> to) {
            reply(request, to, CannedSamples.meters());
        }

        @Override
        public void checkCni(CheckCniRequest request, StreamObserver<CheckCniReply> to) {
            reply(request, to, CannedOverrides.check(request));
        }

        @Override
        public void getCniStatus(GetCniStatusRequest request, StreamObserver<GetCniStatusReply> to) {
            reply(request, to, GetCniStatusReply.newBuilder().setReady(true).build());
        }

        @Override
        public void getStatus(GetStatusRequest request, StreamObserver<GetStatusReply> to) {
            reply(request, to, CannedReplies.status());
        }

        @Override
        public void getVersion(GetVersionRequest request, StreamObserver<GetVersionReply> to) {
            reply(
                    request,
                    to,
                    GetVersionReply.newBuilder()
                            .setVersion("0.1.0")
                            .setJava("17.0.15")
                            .setOs("Linux 6.1 amd64")
                            .build());
        }

        @Override
        public void getConfig(GetConfigRequest request, StreamObserver<GetConfigReply> to) {
            reply(
                    request,
                    to,
                    GetConfigReply.newBuilder()
                            .addEntries(CannedReplies.config(
                                    "pool.min_idle", "2", "eni.json", "Fewest idle addresses; 0 or more"))
                            .addEntries(
                                    CannedReplies.config("cloud.access_secret", "***", "enipam.yaml", "Never shown"))
                            .build());
        }

        @Override
        public void runDoctor(RunDoctorRequest request, StreamObserver<RunDoctorReply> to) {
            reply(request, to, CannedDoctor.diagnosis());
        }

        @Override
        public void listDoctorChecks(ListDoctorChecksRequest request, StreamObserver<ListDoctorChecksReply> to) {
            reply(request, to, CannedDoctor.checks());
        }

        @Override
        public void getPool(GetPoolRequest request, StreamObserver<GetPoolReply> to) {
            reply(
                    request,
                    to,
                    GetPoolReply.newBuilder().setPool(CannedReplies.pool()).build());
        }

        @Override
        public void listIdle(ListIdleRequest request, StreamObserver<ListIdleReply> to) {
            reply(
                    request,
                    to,
                    ListIdleReply.newBuilder()
                            .addEntries(CannedReplies.entry(7, "IDLE", 12))
                            .build(),
                    ListIdleReply.newBuilder()
                            .addEntries(CannedReplies.entry(8, "COOLING", 10).toBuilder()
                                    .setUntil(CannedReplies.ago(-20))
                                    .setPod("default/old-0"))
                            .build());
        }

        @Override
        public void listInUse(ListInUseRequest request, StreamObserver<ListInUseReply> to) {
            reply(
                    request,
                    to,
                    ListInUseReply.newBuilder()
                            .addLeases(CannedReplies.lease("default/web-0", 3, 12).toBuilder()
                                    .setState("IN_USE"))
                            .build(),
                    ListInUseReply.newBuilder()
                            .addLeases(CannedReplies.lease("kube-system/coredns-5c98db65d4-x2x7q", 14, 190).toBuilder()
                                    .setState("INVALID"))
                            .build());
        }

        @Override
        public void listEnis(ListEnisRequest request, StreamObserver<ListEnisReply> to) {
            reply(
                    request,
                    to,
                    ListEnisReply.newBuilder()
                            .addEnis(CannedReplies.eni("eni-1"))
                            .addEnis(CannedReplies.eni("eni-2").toBuilder().setState("Attaching"))
                            .build());
        }

        @Override
        public void getCloud(GetCloudRequest request, StreamObserver<GetCloudReply> to) {
            reply(request, to, CannedCloud.cloud());
        }

        @Override
        public void listCloudNames(ListCloudNamesRequest request, StreamObserver<ListCloudNamesReply> to) {
            reply(request, to, CannedCloud.names());
        }

        @Override
        public void getEni(GetEniRequest request, StreamObserver<GetEniReply> to) {
            reply(
                    request,
                    to,
                    GetEniReply.newBuilder()
                            .setEni(CannedReplies.eni(request.getId()))
                            .build());
        }

        @Override
        public void listCloudCalls(ListCloudCallsRequest request, StreamObserver<ListCloudCallsReply> to) {
            reply(
                    request,
                    to,
                    ListCloudCallsReply.newBuilder()
                            .addCalls(CannedReplies.call(9, "AttachNetworkInterface", "eni-1", 1200, ""))
                            .build(),
                    ListCloudCallsReply.newBuilder()
                            .addCalls(CannedReplies.call(8, "CreateNetworkInterface", "vsw-a", 12, "Throttling.User"))
                            .build());
        }

        @Override
        public void getCloudBudget(GetCloudBudgetRequest request, StreamObserver<GetCloudBudgetReply> to) {
            reply(
                    request,
                    to,
                    GetCloudBudgetReply.newBuilder()
                            .addApis(CannedReplies.throttledApi())
                            .addApis(CannedReplies.untouchedApi())
                            .build());
        }

        @Override
        public void listPods(ListPodsRequest request, StreamObserver<ListPodsReply> to) {
            reply(
                    request,
                    to,
                    ListPodsReply.newBuilder()
                            .addPods(CannedReplies.pod(
                                    "default/web-0", true, false, CannedReplies.lease("default/web-0", 3, 12)))
                            .addPods(CannedReplies.pod("default/job-9", true, true))
                            .build(),
                    ListPodsReply.newBuilder()
                            .addPods(CannedReplies.pod("kube-system/lost", false, false))
                            .build());
        }

        @Override
        public void getPod(GetPodRequest request, StreamObserver<GetPodReply> to) {
            reply(
                    request,
                    to,
                    GetPodReply.newBuilder()
                            .setPod(CannedReplies.pod(
                                    request.getPod(), true, false, CannedReplies.lease(request.getPod(), 3, 12)))
                            .build());
        }

        @Override
        public void explain(ExplainRequest request, StreamObserver<ExplainReply> to) {
            reply(request, to, CannedExplain.reply(request));
        }

        @Override
        public void getGcStatus(GetGcStatusRequest request, StreamObserver<GetGcStatusReply> to) {
            reply(
                    request,
                    to,
                    GetGcStatusReply.newBuilder()
                            .setLast(CannedReplies.gc(false))
                            .setInterval(Durations.fromMinutes(5))
                            .build());
        }

        @Override
        public void dumpDb(DumpDbRequest request, StreamObserver<DumpDbReply> to) {
            reply(
                    request,
                    to,
                    CannedDb.records()
                            .filter(record -> request.getBucket().isEmpty()
                                    || request.getBucket().equals(record.getBucket()))
                            .map(record ->
                                    DumpDbReply.newBuilder().addRecords(record).build())
                            .toArray(DumpDbReply[]::new));
        }

        @Override
        public void verifyDb(VerifyDbRequest request, StreamObserver<VerifyDbReply> to) {
            reply(request, to, CannedDb.sound());
        }

        @Override
        public void exportDb(ExportDbRequest request, StreamObserver<ExportDbReply> to) {
            reply(request, to, CannedDb.export());
        }

        @Override
        public void getDbRecord(GetDbRecordRequest request, StreamObserver<GetDbRecordReply> to) {
            reply(
                    request,
                    to,
                    GetDbRecordReply.newBuilder()
                            .setRecord(CannedReplies.record(
                                    "leases", "enipam/sim-3/eth0", "{\"pod\":\"default/web-0\",\"n\":1}"))
                            .build());
        }

        @Override
        public void listPlugins(ListPluginsRequest request, StreamObserver<ListPluginsReply> to) {
            reply(
                    request,
                    to,
                    ListPluginsReply.newBuilder()
                            .addAllPlugins(CannedPlugins.all())
                            .build());
        }

        @Override
        public void getPlugin(GetPluginRequest request, StreamObserver<GetPluginReply> to) {
            reply(
                    request,
                    to,
                    GetPluginReply.newBuilder()
                            .setPlugin(CannedPlugins.plugin(request.getId()))
                            .build());
        }

        @Override
        public void runDiagnostic(RunDiagnosticRequest request, StreamObserver<RunDiagnosticReply> to) {
            reply(request, to, CannedPlugins.demand(request.getArgumentsMap()));
        }

        @Override
        public void getTrace(GetTraceRequest request, StreamObserver<GetTraceReply> to) {
            reply(request, to, CannedTrace.reply(request, CannedReplies.NOW.toEpochMilli()));
        }

        @Override
        public void watchEvents(WatchEventsRequest request, StreamObserver<WatchEventsReply> to) {
            WatchEventsReply first = WatchEventsReply.newBuilder()
                    .setRun(run)
                    .addEvents(CannedReplies.event(1, "INFO", "10.0.1.3/24 from eni-1"))
                    .build();
            WatchEventsReply second = WatchEventsReply.newBuilder()
                    .setRun(run)
                    .addEvents(CannedReplies.event(2, "WARNING", "waited 2 s"))
                    .addAllEvents(furtherEvents)
                    .build();
            if (request.getFollow()) {
                received.add(request);
                ((ServerCallStreamObserver<WatchEventsReply>) to)
                        .setOnCancelHandler(() -> cancelled.add("WatchEventsRequest"));
                to.onNext(first);
                to.onNext(second);
            } else {
                reply(request, to, first, second);
            }
        }
    }

    /** Tells this event, too, from now on. */
    public void happened(Event event) {
        furtherEvents.add(event);
    }

    private final class Controlling extends ControlGrpc.ControlImplBase {
        @Override
        public void warmPool(WarmPoolRequest request, StreamObserver<WarmPoolReply> to) {
            reply(request, to, CannedOverrides.warm(request));
        }

        @Override
        public void drainPool(DrainPoolRequest request, StreamObserver<DrainPoolReply> to) {
            reply(request, to, CannedOverrides.drain(request));
        }

        @Override
        public void backupDb(BackupDbRequest request, StreamObserver<BackupDbReply> to) {
            reply(request, to, CannedDb.backup(request.getPath()));
        }

        @Override
        public void restoreDb(RestoreDbRequest request, StreamObserver<RestoreDbReply> to) {
            reply(
                    request,
                    to,
                    RestoreDbReply.newBuilder()
                            .setRestore(CannedDb.restore(request.getPath(), request.getDryRun()))
                            .build());
        }

        @Override
        public StreamObserver<ImportDbRequest> importDb(StreamObserver<ImportDbReply> to) {
            return new StreamObserver<>() {
                private DbImport wish = DbImport.getDefaultInstance();

                @Override
                public void onNext(ImportDbRequest part) {
                    received.add(part);
                    if (part.hasImport()) {
                        wish = part.getImport();
                    }
                }

                @Override
                public void onError(Throwable goneAway) {
                    cancelled.add("ImportDbRequest");
                }

                @Override
                public void onCompleted() {
                    reply(
                            wish,
                            to,
                            ImportDbReply.newBuilder()
                                    .setRestore(CannedDb.restore(wish.getName(), wish.getDryRun()))
                                    .build());
                }
            };
        }

        @Override
        public void compactDb(CompactDbRequest request, StreamObserver<CompactDbReply> to) {
            reply(request, to, CannedDb.compaction());
        }

        @Override
        public void cniAdd(CniAddRequest request, StreamObserver<CniAddReply> to) {
            reply(
                    request,
                    to,
                    CniAddReply.newBuilder()
                            .setLease(CannedReplies.lease(request.getPod(), 3, 0))
                            .setTook(Durations.fromMillis(12))
                            .build());
        }

        @Override
        public void cniDel(CniDelRequest request, StreamObserver<CniDelReply> to) {
            reply(
                    request,
                    to,
                    CniDelReply.newBuilder()
                            .setReleased(CannedReplies.lease(request.getPod(), 3, 90))
                            .setState("COOLING")
                            .setUntil(CannedReplies.ago(-30))
                            .setTook(Durations.fromMillis(3))
                            .build());
        }

        @Override
        public void cniGc(CniGcRequest request, StreamObserver<CniGcReply> to) {
            reply(
                    request,
                    to,
                    CniGcReply.newBuilder()
                            .setReport(CannedReplies.gc(request.getDryRun()))
                            .addDisconnected(Owner.newBuilder()
                                    .setNetwork("terway")
                                    .setContainer("4711")
                                    .setIfname("eth0"))
                            .build());
        }

        @Override
        public void runGc(RunGcRequest request, StreamObserver<RunGcReply> to) {
            reply(
                    request,
                    to,
                    RunGcReply.newBuilder()
                            .setReport(CannedReplies.gc(request.getDryRun()))
                            .build());
        }

        @Override
        public void syncPool(SyncPoolRequest request, StreamObserver<SyncPoolReply> to) {
            reply(
                    request,
                    to,
                    SyncPoolReply.newBuilder().setReport(CannedReplies.sync()).build());
        }

        @Override
        public void repairFinding(RepairFindingRequest request, StreamObserver<RepairFindingReply> to) {
            reply(request, to, CannedDoctor.repair(request.getDryRun()));
        }

        @Override
        public void sweepEnis(SweepEnisRequest request, StreamObserver<SweepEnisReply> to) {
            reply(
                    request,
                    to,
                    SweepEnisReply.newBuilder()
                            .setReport(CannedReplies.sweep(request.getDryRun()))
                            .build());
        }

        @Override
        public void swapPolicy(SwapPolicyRequest request, StreamObserver<SwapPolicyReply> to) {
            reply(
                    request,
                    to,
                    SwapPolicyReply.newBuilder()
                            .setFrom("watermark")
                            .setTo(request.getName())
                            .setTook(Durations.fromMillis(2))
                            .build());
        }

        @Override
        public void swapFactory(SwapFactoryRequest request, StreamObserver<SwapFactoryReply> to) {
            reply(
                    request,
                    to,
                    SwapFactoryReply.newBuilder()
                            .setFrom("eni-ip")
                            .setTo(request.getName())
                            .setLeavingResources(5)
                            .setLeavingLeases(3)
                            .setTook(Durations.fromMillis(1340))
                            .build());
        }

        @Override
        public void addCloudFault(AddCloudFaultRequest request, StreamObserver<AddCloudFaultReply> to) {
            reply(request, to, CannedCloud.added(request.getFault()));
        }

        @Override
        public void removeCloudFault(RemoveCloudFaultRequest request, StreamObserver<RemoveCloudFaultReply> to) {
            reply(request, to, CannedCloud.removed(request.getId()));
        }

        @Override
        public void setCloudLatency(SetCloudLatencyRequest request, StreamObserver<SetCloudLatencyReply> to) {
            reply(
                    request,
                    to,
                    SetCloudLatencyReply.newBuilder()
                            .setFrom("none")
                            .setTo(request.getLatency())
                            .build());
        }

        @Override
        public void setCloudThrottle(SetCloudThrottleRequest request, StreamObserver<SetCloudThrottleReply> to) {
            reply(
                    request,
                    to,
                    SetCloudThrottleReply.newBuilder()
                            .setFrom("off")
                            .setTo(request.getThrottle())
                            .build());
        }

        @Override
        public void resetCloud(ResetCloudRequest request, StreamObserver<ResetCloudReply> to) {
            reply(request, to, CannedCloud.reset());
        }

        @Override
        public void actOnCloud(ActOnCloudRequest request, StreamObserver<ActOnCloudReply> to) {
            reply(request, to, CannedCloud.acted(request));
        }

        @Override
        public void deletePod(DeletePodRequest request, StreamObserver<DeletePodReply> to) {
            reply(
                    request,
                    to,
                    DeletePodReply.newBuilder()
                            .setPod(request.getPod())
                            .addLeases(CannedReplies.lease(request.getPod(), 3, 90))
                            .build());
        }
    }
}

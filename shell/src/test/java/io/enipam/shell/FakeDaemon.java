package io.enipam.shell;

import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import io.enipam.v1.ActOnCloudRequest;
import io.enipam.v1.AddCloudFaultRequest;
import io.enipam.v1.BackupDbRequest;
import io.enipam.v1.CancelSwapReply;
import io.enipam.v1.CancelSwapRequest;
import io.enipam.v1.CheckCniRequest;
import io.enipam.v1.CniAddReply;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniDelReply;
import io.enipam.v1.CniDelRequest;
import io.enipam.v1.CniGcReply;
import io.enipam.v1.CniGcRequest;
import io.enipam.v1.ControlGrpc;
import io.enipam.v1.DbImport;
import io.enipam.v1.DeletePodReply;
import io.enipam.v1.DeletePodRequest;
import io.enipam.v1.DrainPoolRequest;
import io.enipam.v1.DumpDbReply;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.ErrorDetail;
import io.enipam.v1.Event;
import io.enipam.v1.ExplainRequest;
import io.enipam.v1.GetCloudBudgetReply;
import io.enipam.v1.GetClusterReply;
import io.enipam.v1.GetCniStatusReply;
import io.enipam.v1.GetConfigReply;
import io.enipam.v1.GetDbRecordReply;
import io.enipam.v1.GetEniReply;
import io.enipam.v1.GetEniRequest;
import io.enipam.v1.GetGcStatusReply;
import io.enipam.v1.GetLeaseHistoryRequest;
import io.enipam.v1.GetLogReply;
import io.enipam.v1.GetPluginReply;
import io.enipam.v1.GetPluginRequest;
import io.enipam.v1.GetPodReply;
import io.enipam.v1.GetPodRequest;
import io.enipam.v1.GetPoolReply;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.GetTraceRequest;
import io.enipam.v1.GetVersionReply;
import io.enipam.v1.ImportDbReply;
import io.enipam.v1.ImportDbRequest;
import io.enipam.v1.InspectGrpc;
import io.enipam.v1.ListCloudCallsReply;
import io.enipam.v1.ListCommandsReply;
import io.enipam.v1.ListEnisReply;
import io.enipam.v1.ListIdleReply;
import io.enipam.v1.ListInUseReply;
import io.enipam.v1.ListPluginBallotsReply;
import io.enipam.v1.ListPluginGrantsReply;
import io.enipam.v1.ListPluginsReply;
import io.enipam.v1.ListPodsReply;
import io.enipam.v1.Owner;
import io.enipam.v1.ReloadPluginReply;
import io.enipam.v1.ReloadPluginRequest;
import io.enipam.v1.RemoveCloudFaultRequest;
import io.enipam.v1.RepairFindingRequest;
import io.enipam.v1.RestoreDbReply;
import io.enipam.v1.RestoreDbRequest;
import io.enipam.v1.RetryPoolReply;
import io.enipam.v1.RunDiagnosticRequest;
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
import io.enipam.v1.WarmPoolRequest;
import io.enipam.v1.WatchEventsReply;
import io.enipam.v1.WatchEventsRequest;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
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
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A daemon that answers from a script, on a real unix socket. What a test does not script is answered from {@link CannedReplies};
 * an empty reply, a refusal or silence can be had for each method, by the type of its request. A new method of the protocol needs one row in {@link #answers}.
 */
public final class FakeDaemon implements AutoCloseable {
    private static final Metadata.Key<ErrorDetail> DETAIL =
            Metadata.Key.of("enipam-error-bin", ProtoLiteUtils.metadataMarshaller(ErrorDetail.getDefaultInstance()));

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final Server server;
    private final Map<String, Function<Message, List<? extends Message>>> replies = new HashMap<>();
    private final Map<Class<?>, Object> script = new ConcurrentHashMap<>();
    private final List<MessageLite> received = new CopyOnWriteArrayList<>();
    private final List<String> cancelled = new CopyOnWriteArrayList<>();
    private final List<Event> furtherEvents = new CopyOnWriteArrayList<>();

    private volatile int nameLength;

    /** The fields whose values are names of things that others made. */
    private static final Set<String> NAMES =
            Set.of("pod", "container", "name", "parent", "eni", "subject", "key", "id", "owner", "target", "file");

    private enum Silence {
        SILENCE
    }

    /** Names this run, as a daemon's events do. */
    private final String run = UUID.randomUUID().toString();

    public FakeDaemon(Path socket) throws IOException {
        answers();
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

    /** All requests that arrived. */
    public List<MessageLite> received() {
        return received;
    }

    /** The requests, by name, whose caller went away before the answer. */
    public List<String> cancelled() {
        return cancelled;
    }

    /** From now on nothing is wrong with it. */
    public FakeDaemon untroubled() {
        answer(
                GetStatusRequest.class,
                CannedReplies.status().toBuilder().clearTroubles().build());
        return this;
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

    /** What each method answers that no test scripts. */
    private void answers() {
        on("getHistory", Message.class, request -> parts(CannedHistory.samples()));
        on(
                "getLog",
                Message.class,
                request -> parts(GetLogReply.newBuilder()
                        .addAllRecords(CannedLog.records())
                        .build()));
        on(
                "getCluster",
                Message.class,
                request -> parts(GetClusterReply.newBuilder()
                        .setStatus(CannedReplies.cluster())
                        .build()));
        on("getLeaseHistory", GetLeaseHistoryRequest.class, request -> parts(CannedHistory.leases(request)));
        on("listAudit", Message.class, request -> parts(CannedHistory.audit()));
        on("getMeters", Message.class, request -> parts(CannedSamples.meters()));
        on("checkCni", CheckCniRequest.class, request -> parts(CannedOverrides.check(request)));
        on(
                "getCniStatus",
                Message.class,
                request -> parts(GetCniStatusReply.newBuilder().setReady(true).build()));
        on("getStatus", Message.class, request -> parts(CannedReplies.status()));
        on(
                "getVersion",
                Message.class,
                request -> parts(GetVersionReply.newBuilder()
                        .setVersion("0.1.0")
                        .setJava("17.0.15")
                        .setOs("Linux 6.1 amd64")
                        .build()));
        on(
                "getConfig",
                Message.class,
                request -> parts(GetConfigReply.newBuilder()
                        .addEntries(CannedReplies.config(
                                "pool.min_idle", "2", "eni.json", "Fewest idle addresses; 0 or more"))
                        .addEntries(CannedReplies.config("cloud.access_secret", "***", "enipam.yaml", "Never shown"))
                        .build()));
        on("runDoctor", Message.class, request -> parts(CannedDoctor.diagnosis()));
        on("listDoctorChecks", Message.class, request -> parts(CannedDoctor.checks()));
        on(
                "getPool",
                Message.class,
                request -> parts(
                        GetPoolReply.newBuilder().setPool(CannedReplies.pool()).build()));
        on(
                "listIdle",
                Message.class,
                request -> parts(
                        ListIdleReply.newBuilder()
                                .addEntries(CannedReplies.entry(7, "IDLE", 12))
                                .build(),
                        ListIdleReply.newBuilder()
                                .addEntries(CannedReplies.entry(8, "COOLING", 10).toBuilder()
                                        .setUntil(CannedReplies.ago(-20))
                                        .setPod("default/old-0"))
                                .build()));
        on(
                "listInUse",
                Message.class,
                request -> parts(
                        ListInUseReply.newBuilder()
                                .addLeases(CannedReplies.lease("default/web-0", 3, 12).toBuilder()
                                        .setState("IN_USE"))
                                .build(),
                        ListInUseReply.newBuilder()
                                .addLeases(
                                        CannedReplies.lease("kube-system/coredns-5c98db65d4-x2x7q", 14, 190).toBuilder()
                                                .setState("INVALID"))
                                .build()));
        on(
                "listEnis",
                Message.class,
                request -> parts(ListEnisReply.newBuilder()
                        .addEnis(CannedReplies.eni("eni-1"))
                        .addEnis(CannedReplies.eni("eni-2").toBuilder().setState("Attaching"))
                        .build()));
        on("getCloud", Message.class, request -> parts(CannedCloud.cloud()));
        on("listCloudNames", Message.class, request -> parts(CannedCloud.names()));
        on(
                "getEni",
                GetEniRequest.class,
                request -> parts(GetEniReply.newBuilder()
                        .setEni(CannedReplies.eni(request.getId()))
                        .build()));
        on(
                "listCloudCalls",
                Message.class,
                request -> parts(
                        ListCloudCallsReply.newBuilder()
                                .addCalls(CannedReplies.call(9, "AttachNetworkInterface", "eni-1", 1200, ""))
                                .build(),
                        ListCloudCallsReply.newBuilder()
                                .addCalls(
                                        CannedReplies.call(8, "CreateNetworkInterface", "vsw-a", 12, "Throttling.User"))
                                .build()));
        on(
                "getCloudBudget",
                Message.class,
                request -> parts(GetCloudBudgetReply.newBuilder()
                        .addApis(CannedReplies.throttledApi())
                        .addApis(CannedReplies.untouchedApi())
                        .build()));
        on(
                "listPods",
                Message.class,
                request -> parts(
                        ListPodsReply.newBuilder()
                                .addPods(CannedReplies.pod(
                                        "default/web-0", true, false, CannedReplies.lease("default/web-0", 3, 12)))
                                .addPods(CannedReplies.pod("default/job-9", true, true))
                                .build(),
                        ListPodsReply.newBuilder()
                                .addPods(CannedReplies.pod("kube-system/lost", false, false))
                                .build()));
        on(
                "getPod",
                GetPodRequest.class,
                request -> parts(GetPodReply.newBuilder()
                        .setPod(CannedReplies.pod(
                                request.getPod(), true, false, CannedReplies.lease(request.getPod(), 3, 12)))
                        .build()));
        on("explain", ExplainRequest.class, request -> parts(CannedExplain.reply(request)));
        on(
                "getGcStatus",
                Message.class,
                request -> parts(GetGcStatusReply.newBuilder()
                        .setLast(CannedReplies.gc(false))
                        .setInterval(Durations.fromMinutes(5))
                        .build()));
        on(
                "dumpDb",
                DumpDbRequest.class,
                request -> parts(CannedDb.records()
                        .filter(record -> request.getBucket().isEmpty()
                                || request.getBucket().equals(record.getBucket()))
                        .map(record ->
                                DumpDbReply.newBuilder().addRecords(record).build())
                        .toArray(DumpDbReply[]::new)));
        on("verifyDb", Message.class, request -> parts(CannedDb.sound()));
        on("exportDb", Message.class, request -> parts(CannedDb.export()));
        on(
                "getDbRecord",
                Message.class,
                request -> parts(GetDbRecordReply.newBuilder()
                        .setRecord(CannedReplies.record(
                                "leases", "enipam/sim-3/eth0", "{\"pod\":\"default/web-0\",\"n\":1}"))
                        .build()));
        on(
                "listPlugins",
                Message.class,
                request -> parts(ListPluginsReply.newBuilder()
                        .addAllPlugins(CannedPlugins.all())
                        .build()));
        on(
                "listPluginBallots",
                Message.class,
                request -> parts(ListPluginBallotsReply.newBuilder()
                        .addAllClaims(CannedPlugins.ballots())
                        .build()));
        on("listCommands", Message.class, request -> parts(ListCommandsReply.getDefaultInstance()));
        on(
                "listPluginGrants",
                Message.class,
                request -> parts(ListPluginGrantsReply.newBuilder()
                        .addGrants(CannedReplies.grant("default/db-0", "10.77.0.2/24", "EFFECTS"))
                        .addGrants(CannedReplies.grant("4c0d8f", "10.77.0.3/24", "GRANTED"))
                        .build()));
        on(
                "getPlugin",
                GetPluginRequest.class,
                request -> parts(GetPluginReply.newBuilder()
                        .setPlugin(CannedPlugins.plugin(request.getId(), request.getStacks()))
                        .build()));
        on(
                "runDiagnostic",
                RunDiagnosticRequest.class,
                request -> parts(CannedPlugins.demand(request.getArgumentsMap())));
        on(
                "getTrace",
                GetTraceRequest.class,
                request -> parts(CannedTrace.reply(request, CannedReplies.NOW.toEpochMilli())));
        on("warmPool", WarmPoolRequest.class, request -> parts(CannedOverrides.warm(request)));
        on("drainPool", DrainPoolRequest.class, request -> parts(CannedOverrides.drain(request)));
        on("backupDb", BackupDbRequest.class, request -> parts(CannedDb.backup(request.getPath())));
        on(
                "restoreDb",
                RestoreDbRequest.class,
                request -> parts(RestoreDbReply.newBuilder()
                        .setRestore(CannedDb.restore(request.getPath(), request.getDryRun()))
                        .build()));
        on("compactDb", Message.class, request -> parts(CannedDb.compaction()));
        on(
                "cniAdd",
                CniAddRequest.class,
                request -> parts(CniAddReply.newBuilder()
                        .setLease(CannedReplies.lease(request.getPod(), 3, 0))
                        .setTook(Durations.fromMillis(12))
                        .build()));
        on(
                "cniDel",
                CniDelRequest.class,
                request -> parts(CniDelReply.newBuilder()
                        .setReleased(CannedReplies.lease(request.getPod(), 3, 90))
                        .setState("COOLING")
                        .setUntil(CannedReplies.ago(-30))
                        .setTook(Durations.fromMillis(3))
                        .build()));
        on(
                "cniGc",
                CniGcRequest.class,
                request -> parts(CniGcReply.newBuilder()
                        .setReport(CannedReplies.gc(request.getDryRun()))
                        .addDisconnected(Owner.newBuilder()
                                .setNetwork("terway")
                                .setContainer("4711")
                                .setIfname("eth0"))
                        .build()));
        on(
                "runGc",
                RunGcRequest.class,
                request -> parts(RunGcReply.newBuilder()
                        .setReport(CannedReplies.gc(request.getDryRun()))
                        .build()));
        on(
                "syncPool",
                Message.class,
                request -> parts(SyncPoolReply.newBuilder()
                        .setReport(CannedReplies.sync())
                        .build()));
        on(
                "retryPool",
                Message.class,
                request -> parts(RetryPoolReply.newBuilder()
                        .setLastFailure("Throttling.User: Request was denied due to user flow control.")
                        .setFailingSince(CannedReplies.trouble().getSince())
                        .setWaiting(1)
                        .build()));
        on("repairFinding", RepairFindingRequest.class, request -> parts(CannedDoctor.repair(request.getDryRun())));
        on(
                "sweepEnis",
                SweepEnisRequest.class,
                request -> parts(SweepEnisReply.newBuilder()
                        .setReport(CannedReplies.sweep(request.getDryRun()))
                        .build()));
        on(
                "swapPolicy",
                SwapPolicyRequest.class,
                request -> parts(SwapPolicyReply.newBuilder()
                        .setFrom("watermark")
                        .setTo(request.getName())
                        .setTook(Durations.fromMillis(2))
                        .build()));
        on(
                "reloadPlugin",
                ReloadPluginRequest.class,
                request -> parts(ReloadPluginReply.newBuilder()
                        .setId(request.getId())
                        .setFrom("1.0.0")
                        .setTo("1.0.1")
                        .setTook(Durations.fromMillis(87))
                        .build()));
        on(
                "cancelSwap",
                CancelSwapRequest.class,
                request -> parts(CancelSwapReply.newBuilder()
                        .setCancelled("policy warm-target")
                        .build()));
        on(
                "swapFactory",
                SwapFactoryRequest.class,
                request -> parts(SwapFactoryReply.newBuilder()
                        .setFrom("eni-ip")
                        .setTo(request.getName())
                        .setLeavingResources(5)
                        .setLeavingLeases(3)
                        .setTook(Durations.fromMillis(1340))
                        .build()));
        on("addCloudFault", AddCloudFaultRequest.class, request -> parts(CannedCloud.added(request.getFault())));
        on("removeCloudFault", RemoveCloudFaultRequest.class, request -> parts(CannedCloud.removed(request.getId())));
        on(
                "setCloudLatency",
                SetCloudLatencyRequest.class,
                request -> parts(SetCloudLatencyReply.newBuilder()
                        .setFrom("none")
                        .setTo(request.getLatency())
                        .build()));
        on(
                "setCloudThrottle",
                SetCloudThrottleRequest.class,
                request -> parts(SetCloudThrottleReply.newBuilder()
                        .setFrom("off")
                        .setTo(request.getThrottle())
                        .build()));
        on("resetCloud", Message.class, request -> parts(CannedCloud.reset()));
        on("actOnCloud", ActOnCloudRequest.class, request -> parts(CannedCloud.acted(request)));
        on(
                "deletePod",
                DeletePodRequest.class,
                request -> parts(DeletePodReply.newBuilder()
                        .setPod(request.getPod())
                        .addLeases(CannedReplies.lease(request.getPod(), 3, 90))
                        .build()));
        on(
                "watchEvents",
                WatchEventsRequest.class,
                request -> parts(
                        events(request, Stream.of(CannedReplies.event(1, "INFO", "10.0.1.3/24 from eni-1"))),
                        events(
                                request,
                                Stream.concat(
                                        Stream.of(CannedReplies.event(2, "WARNING", "waited 2 s")),
                                        furtherEvents.stream()))));
        on(
                "importDb",
                DbImport.class,
                named -> parts(ImportDbReply.newBuilder()
                        .setRestore(CannedDb.restore(named.getName(), named.getDryRun()))
                        .build()));
    }

    private WatchEventsReply events(WatchEventsRequest request, Stream<Event> all) {
        return WatchEventsReply.newBuilder()
                .setRun(run)
                .addAllEvents(all.filter(event -> request.getTypesCount() == 0
                                || request.getTypesList().contains(event.getType()))
                        .filter(event -> !request.hasTo() || Timestamps.compare(event.getAt(), request.getTo()) <= 0)
                        .filter(event -> request.getAbout().isEmpty()
                                || event.getSubject().equals(request.getAbout()))
                        .toList())
                .build();
    }

    private <Q extends Message> void on(String method, Class<Q> type, Function<Q, List<? extends Message>> reply) {
        replies.put(method, request -> reply.apply(type.cast(request)));
    }

    @SafeVarargs
    private static <T> List<T> parts(T... parts) {
        return List.of(parts);
    }

    private ServerServiceDefinition service(ServiceDescriptor descriptor) {
        ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(descriptor);
        descriptor.getMethods().forEach(method -> service.addMethod(method(method)));
        return service.build();
    }

    private <Q, R> ServerMethodDefinition<Q, R> method(MethodDescriptor<Q, R> method) {
        String bare = String.valueOf(method.getBareMethodName());
        String name = bare.substring(0, 1).toLowerCase(Locale.ROOT) + bare.substring(1);
        return ServerMethodDefinition.create(
                method,
                switch (method.getType()) {
                    case UNARY -> ServerCalls.asyncUnaryCall((request, to) -> reply(name, (Message) request, to));
                    case SERVER_STREAMING ->
                        ServerCalls.asyncServerStreamingCall((request, to) -> reply(name, (Message) request, to));
                    default -> ServerCalls.asyncClientStreamingCall(to -> upload(name, to));
                });
    }

    @SuppressWarnings("unchecked") // a test that scripts a reply of another type fails at once, and should
    private <R> void reply(String method, Message request, StreamObserver<R> to) {
        received.add(request);
        boolean follows = request instanceof WatchEventsRequest watch && watch.getFollow();
        @Nullable Object scripted = follows ? null : script.get(request.getClass());
        if (scripted instanceof StatusRuntimeException refusal) {
            to.onError(refusal);
            return;
        }
        if (scripted instanceof Silence || follows) {
            ((ServerCallStreamObserver<R>) to)
                    .setOnCancelHandler(() -> cancelled.add(request.getClass().getSimpleName()));
        }
        if (scripted instanceof Silence) {
            return;
        }
        Function<Message, List<? extends Message>> canned = replies.get(method);
        if (scripted == null && canned == null) {
            to.onError(Status.UNIMPLEMENTED.asRuntimeException());
            return;
        }
        List<?> parts = scripted == null ? canned.apply(request) : List.of(scripted);
        parts.forEach(part -> to.onNext((R) (nameLength == 0 ? part : lengthened((Message) part))));
        if (!follows) {
            to.onCompleted();
        }
    }

    /** From now on every name of its replies is this long: so long may a pod's be. */
    public void lengthenNames(int characters) {
        nameLength = characters;
    }

    private Message lengthened(Message reply) {
        Message.Builder longer = reply.toBuilder();
        reply.getAllFields().forEach((field, value) -> {
            boolean name = NAMES.contains(field.getName());
            if (field.isMapField()) {
                return;
            } else if (field.getJavaType() == JavaType.MESSAGE && field.isRepeated()) {
                longer.setField(
                        field,
                        ((List<?>) value)
                                .stream()
                                        .map(part -> lengthened((Message) part))
                                        .toList());
            } else if (field.getJavaType() == JavaType.MESSAGE) {
                longer.setField(field, lengthened((Message) value));
            } else if (name && value instanceof String text && !text.isEmpty()) {
                longer.setField(field, text + "-" + "x".repeat(Math.max(0, nameLength - text.length() - 4)) + "end");
            }
        });
        return longer.build();
    }

    /** An import comes in parts, of which the first names it. */
    private <Q, R> StreamObserver<Q> upload(String method, StreamObserver<R> to) {
        return new StreamObserver<>() {
            private DbImport named = DbImport.getDefaultInstance();

            @Override
            public void onNext(Q part) {
                ImportDbRequest request = (ImportDbRequest) part;
                received.add(request);
                named = request.hasImport() ? request.getImport() : named;
            }

            @Override
            public void onError(Throwable goneAway) {
                cancelled.add("ImportDbRequest");
            }

            @Override
            public void onCompleted() {
                reply(method, named, to);
            }
        };
    }

    /** Tells this event, too, from now on. */
    public void happened(Event event) {
        furtherEvents.add(event);
    }
}

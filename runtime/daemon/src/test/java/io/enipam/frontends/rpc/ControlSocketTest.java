package io.enipam.frontends.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.protobuf.Duration;
import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.calls.ApiCallLog.CallPermission;
import io.enipam.daemon.testing.SocketClient;
import io.enipam.engine.PendingWork;
import io.enipam.engine.pool.PoolView.PendingCreate;
import io.enipam.engine.pool.PoolView.RetryState;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniDirectory.EniAddresses;
import io.enipam.engine.port.ResourceDb;
import io.enipam.events.EventRing;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.node.cloud.CloudEmulation.EmulatedCloudControl;
import io.enipam.observability.history.History;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.platform.testing.FakeDb;
import io.enipam.platform.testing.FakeEngine;
import io.enipam.platform.testing.FakeSweeper;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.ResourceState;
import io.enipam.v1.CloudApiBudget;
import io.enipam.v1.CloudCall;
import io.enipam.v1.CloudErrorCount;
import io.enipam.v1.CniAddReply;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniAttachment;
import io.enipam.v1.CniDelReply;
import io.enipam.v1.CniDelRequest;
import io.enipam.v1.CniGcRequest;
import io.enipam.v1.DeletePodRequest;
import io.enipam.v1.DrainPoolRequest;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.EniAddress;
import io.enipam.v1.ErrorDetail;
import io.enipam.v1.Event;
import io.enipam.v1.GetCloudBudgetRequest;
import io.enipam.v1.GetCniStatusReply;
import io.enipam.v1.GetCniStatusRequest;
import io.enipam.v1.GetConfigRequest;
import io.enipam.v1.GetDbRecordRequest;
import io.enipam.v1.GetEniRequest;
import io.enipam.v1.GetHistoryReply;
import io.enipam.v1.GetHistoryRequest;
import io.enipam.v1.GetMetersReply;
import io.enipam.v1.GetMetersRequest;
import io.enipam.v1.GetPodRequest;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.HistorySample;
import io.enipam.v1.LatencyBucket;
import io.enipam.v1.Lease;
import io.enipam.v1.ListCloudCallsRequest;
import io.enipam.v1.ListIdleRequest;
import io.enipam.v1.ListInUseReply;
import io.enipam.v1.ListInUseRequest;
import io.enipam.v1.ListPodsRequest;
import io.enipam.v1.PodInfo;
import io.enipam.v1.PoolEntry;
import io.enipam.v1.RunGcRequest;
import io.enipam.v1.SweepEnisRequest;
import io.enipam.v1.SweepReport;
import io.enipam.v1.SweptEni;
import io.enipam.v1.SyncPoolRequest;
import io.enipam.v1.WarmPoolRequest;
import io.enipam.v1.WatchEventsReply;
import io.enipam.v1.WatchEventsRequest;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The services as a client on the real unix socket sees them, over a fake engine. */
class ControlSocketTest {
    private final ExecutorScheduler scheduler = new ExecutorScheduler();
    private final SystemTime time = new SystemTime();
    private final EventRing events = new EventRing(time, scheduler);
    private final ServedNode node = new ServedNode(time, events, Map.of("CreateNetworkInterface", 7));
    private final FakeEngine engine = node.engine;
    private final FakeDb db = node.db;
    private final ApiCallLog calls = node.calls;
    private final History history = node.history;

    @TempDir
    Path directory;

    private AuditLog audit;
    private ControlSocket socket;
    private SocketClient client;

    @BeforeEach
    void open() throws IOException {
        audit = AuditLog.open(directory.resolve("audit.log"), 1 << 20, time);
        socket = serve(AccessRules.ofThisHost(ownUid()));
        client = new SocketClient(path());
        engine.start().join();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        events.close();
        socket.close();
        history.close();
        audit.close();
        scheduler.close();
    }

    private ControlSocket serve(AccessRules rules) throws IOException {
        ServiceContext served = node.context(directory, new EmulatedCloudControl(Optional.empty()));
        return ControlSocket.open(path(), rules, audit, served);
    }

    private Path path() {
        return directory.resolve("s.sock");
    }

    private int ownUid() throws IOException {
        return ((Number) Files.getAttribute(directory, "unix:uid")).intValue();
    }

    @Test
    void anAddLendsAnAddressToASandboxNamedAfterThePodAndTheSameAddAgainChangesNothing() {
        CniAddReply first = add("default/web-0");
        CniAddReply second = add("default/web-0");

        assertThat(first.getRepeated()).isFalse();
        assertThat(first.getLease().getPod()).isEqualTo("default/web-0");
        assertThat(first.getLease().getOwner().getNetwork()).isEqualTo("enipam");
        assertThat(first.getLease().getOwner().getIfname()).isEqualTo("eth0");
        // printf default/web-0 | sha256sum | cut -c 1-12
        assertThat(first.getLease().getOwner().getContainer()).matches("sim-[0-9a-f]{12}");
        assertThat(first.getLease().getResource().getAddressesList()).containsExactly("10.0.0.2/24");
        assertThat(second.getRepeated()).isTrue();
        assertThat(second.getLease()).isEqualTo(first.getLease());
        assertThat(engine.asked().get(0).timeout()).isEqualTo(java.time.Duration.ofSeconds(5));
    }

    @Test
    void theHistoryTellsOfEachIntervalAndTheMetersOfAllOfThem() {
        add("default/a");
        add("default/b");
        history.sample();
        del("default/a");
        history.sample();
        history.sample();

        List<HistorySample> all = history(GetHistoryRequest.getDefaultInstance());
        assertThat(all).extracting(HistorySample::getSequence).containsExactly(1L, 2L, 3L);
        assertThat(all.get(0).getAdd().getDone()).isEqualTo(2);
        assertThat(all.get(0).getAdd().hasP99()).isTrue();
        assertThat(all.get(0).getCounts().getInUse()).isEqualTo(2);
        assertThat(all.get(1).getAdd().getDone()).isZero();
        assertThat(all.get(1).getAdd().hasP99()).isFalse();
        assertThat(all.get(1).getDel().getDone()).isEqualTo(1);
        assertThat(history(GetHistoryRequest.newBuilder().setMaxSamples(1).build()))
                .extracting(HistorySample::getSequence)
                .containsExactly(3L);
        assertThat(history(GetHistoryRequest.newBuilder().setAfterSequence(1).build()))
                .extracting(HistorySample::getSequence)
                .containsExactly(2L, 3L);
        // a number of a daemon that was started before this one
        assertThat(history(GetHistoryRequest.newBuilder().setAfterSequence(900).build()))
                .hasSize(3);
        GetHistoryRequest senseless = GetHistoryRequest.newBuilder()
                .setSince(Duration.newBuilder().setSeconds(-1))
                .build();
        assertThat(catchThrowableOfType(StatusRuntimeException.class, () -> history(senseless))
                        .getStatus()
                        .getCode())
                .isEqualTo(Status.Code.INVALID_ARGUMENT);

        GetMetersReply meters = client.inspect().getMeters(GetMetersRequest.getDefaultInstance());
        assertThat(meters.getAdd().getDone()).isEqualTo(2);
        assertThat(meters.getDel().getDone()).isEqualTo(1);
        assertThat(meters.getSamples()).isEqualTo(3);
        assertThat(meters.getProcess().getRss()).isPositive();
    }

    private List<HistorySample> history(GetHistoryRequest request) {
        List<HistorySample> samples = new ArrayList<>();
        Iterator<GetHistoryReply> parts = client.inspect().getHistory(request);
        parts.forEachRemaining(part -> samples.addAll(part.getSamplesList()));
        return samples;
    }

    @Test
    void aDelSaysWhatBecameOfTheAddressAndAnotherOneThatNothingWasHeld() {
        add("default/a");

        CniDelReply first = del("default/a");
        CniDelReply second = del("default/a");

        assertThat(first.getReleased().getPod()).isEqualTo("default/a");
        assertThat(first.getState()).isEqualTo("COOLING");
        assertThat(first.getUntil().getSeconds())
                .isEqualTo(FakeEngine.AT.plusSeconds(30).getEpochSecond());
        assertThat(second.hasReleased()).isFalse();
        assertThat(second.getState()).isEmpty();
    }

    @Test
    void aDelWithoutAContainerEndsTheOneSandboxThePodHas() {
        control()
                .cniAdd(CniAddRequest.newBuilder()
                        .setPod("default/a")
                        .setContainer("c1")
                        .setIfname("net1")
                        .setNetwork("blue")
                        .build());

        assertThat(del("default/a").getReleased().getOwner().getContainer()).isEqualTo("c1");
    }

    @Test
    void aDelThatCouldMeanSeveralSandboxesNamesThem() {
        addTo("default/a", "c1");
        addTo("default/a", "c2");

        ErrorDetail detail = detail(() -> del("default/a"));

        assertThat(detail.getCode()).isEqualTo("INVALID_ARGUMENT");
        assertThat(detail.getMessage()).contains("c1", "c2");
        assertThat(engine.leases()).hasSize(2);
    }

    @Test
    void aDelOfASandboxThatBelongsToAnotherPodChangesNothing() {
        addTo("default/a", "c1");

        CniDelReply reply = control()
                .cniDel(CniDelRequest.newBuilder()
                        .setPod("default/b")
                        .setContainer("c1")
                        .build());

        assertThat(reply.hasReleased()).isFalse();
        assertThat(engine.leases()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "web-0,'','','','',is not NAMESPACE/NAME",
        "default/Web,'','','','',does not match",
        "default/a,../x,'','','',containerID",
        "default/a,'',a/b,'','',interface name",
        "default/a,'','',b/d,'',network name",
        "default/a,'','','',/proc/1/ns/net,--netns",
    })
    void aMalformedAddIsRefusedWithTheReason(
            String pod, String container, String ifname, String network, String netns, String reason) {
        CniAddRequest request = CniAddRequest.newBuilder()
                .setPod(pod)
                .setContainer(container)
                .setIfname(ifname)
                .setNetwork(network)
                .setNetns(netns)
                .build();

        ErrorDetail detail = detail(() -> control().cniAdd(request));

        assertThat(detail.getCode()).isEqualTo("INVALID_ARGUMENT");
        assertThat(detail.getCniCode()).isEqualTo(4);
        assertThat(detail.getMessage() + detail.getHint()).contains(reason);
        assertThat(engine.asked()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 601, Long.MAX_VALUE})
    void aTimeoutOutsideItsRangeIsRefused(long seconds) {
        CniAddRequest request = CniAddRequest.newBuilder()
                .setPod("default/a")
                .setTimeout(Duration.newBuilder().setSeconds(seconds))
                .build();

        assertThat(detail(() -> control().cniAdd(request)).getMessage()).contains("timeout");
    }

    @Test
    void theEnginesRefusalArrivesWithCodeMessageAndHint() {
        for (int i = 0; i < 250; i++) {
            addTo("default/a", "c" + i);
        }

        StatusRuntimeException failure =
                catchThrowableOfType(StatusRuntimeException.class, () -> add("default/one-too-many"));

        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(failure.getStatus().getDescription()).isEqualTo("capacity 250 is reached, 250 in use");
        ErrorDetail detail = failure.getTrailers().get(GrpcFailures.DETAIL);
        assertThat(detail.getCode()).isEqualTo("POOL_EXHAUSTED");
        assertThat(detail.getCniCode()).isEqualTo(101);
        assertThat(detail.getHint()).isEqualTo("delete a pod");
    }

    @Test
    void aBugIsToldAsInternal() {
        engine.failWith(new IllegalStateException("impossible"));

        ErrorDetail detail = detail(() -> add("default/a"));

        assertThat(detail.getCode()).isEqualTo("INTERNAL");
        assertThat(detail.getMessage()).contains("impossible");
    }

    @Test
    void aLongListComesInChunksThatTogetherAreTheWholeList() {
        for (int i = 0; i < 205; i++) {
            addTo("default/a", "c" + i);
        }

        List<ListInUseReply> replies = new ArrayList<>();
        client.inspect().listInUse(ListInUseRequest.getDefaultInstance()).forEachRemaining(replies::add);

        assertThat(replies.stream().map(ListInUseReply::getLeasesCount)).containsExactly(100, 100, 5);
        assertThat(replies.stream()
                        .flatMap(r -> r.getLeasesList().stream())
                        .map(Lease::getOwner)
                        .distinct())
                .hasSize(205);
    }

    @Test
    void statusTellsPhasePoolAndWhereTheDaemonLives() {
        add("default/a");

        GetStatusReply status = client.status();

        assertThat(status.getPhase()).isEqualTo("READY");
        assertThat(status.getNode()).isEqualTo("node-1");
        assertThat(status.getVersion()).isEqualTo("9.9");
        assertThat(status.getRoot()).isEqualTo("/root-dir");
        assertThat(status.getCloud()).isEqualTo("emulator");
        assertThat(status.getPid()).isEqualTo(ProcessHandle.current().pid());
        assertThat(status.getPool().getCounts().getInUse()).isEqualTo(1);
        assertThat(status.getPool().getCapacity()).isEqualTo(250);
    }

    @Test
    void whatIsNotLentIsListedIdleFirstAndLongestFirst() {
        engine.put(ResourceState.DISPOSING, FakeEngine.AT);
        engine.put(ResourceState.IDLE, FakeEngine.AT.plusSeconds(2));
        engine.put(ResourceState.COOLING, FakeEngine.AT);
        engine.put(ResourceState.IDLE, FakeEngine.AT.plusSeconds(1));
        add("default/a");

        List<PoolEntry> entries = client.inspect()
                .listIdle(ListIdleRequest.getDefaultInstance())
                .next()
                .getEntriesList();

        assertThat(entries.stream().map(PoolEntry::getState)).containsExactly("IDLE", "IDLE", "COOLING", "DISPOSING");
        assertThat(entries.get(0).getResource().getId()).isEqualTo("eni-1/10.0.0.5");
    }

    @Test
    void anEnisAddressesCarryThePoolsStateAndThePod() {
        add("default/a");
        node.enis.add(new EniDirectory.Eni(
                "eni-1",
                "02:00:00:00:00:01",
                "InUse",
                "vsw-1",
                15,
                new EniAddresses("10.0.0.1", List.of("10.0.0.1", "10.0.0.2"), List.of()),
                0,
                FakeEngine.AT));

        List<EniAddress> addresses = client.inspect()
                .getEni(GetEniRequest.newBuilder().setId("eni-1").build())
                .getEni()
                .getAddressesList();

        assertThat(addresses)
                .containsExactly(
                        EniAddress.newBuilder()
                                .setAddress("10.0.0.1")
                                .setPrimary(true)
                                .build(),
                        EniAddress.newBuilder()
                                .setAddress("10.0.0.2")
                                .setState("IN_USE")
                                .setPod("default/a")
                                .build());
        assertThat(detail(() -> client.inspect()
                                .getEni(GetEniRequest.newBuilder()
                                        .setId("eni-2")
                                        .build()))
                        .getCode())
                .isEqualTo("NOT_FOUND");
    }

    @Test
    void aDeletedPodKeepsItsLeaseUntilItIsCollectedAndIsListedAsUnknown() {
        add("default/a");
        add("default/b");

        var reply = control()
                .deletePod(DeletePodRequest.newBuilder().setPod("default/a").build());

        assertThat(reply.getLeasesList())
                .singleElement()
                .satisfies(l -> assertThat(l.getPod()).isEqualTo("default/a"));
        List<PodInfo> pods = client.inspect()
                .listPods(ListPodsRequest.getDefaultInstance())
                .next()
                .getPodsList();
        assertThat(pods.stream().map(p -> p.getPod() + " " + p.getKnown() + " " + p.getLeasesCount()))
                .containsExactly("default/a false 1", "default/b true 1");
        assertThat(detail(() -> client.inspect()
                                .getPod(GetPodRequest.newBuilder()
                                        .setPod("default/c")
                                        .build()))
                        .getCode())
                .isEqualTo("NOT_FOUND");
    }

    @Test
    void aCniGcEndsWhatIsNotNamedAndIsInTheAuditLog() throws IOException {
        String stays = add("default/a").getLease().getOwner().getContainer();
        add("default/b");
        CniGcRequest request = CniGcRequest.newBuilder()
                .addValid(CniAttachment.newBuilder().setContainer(stays))
                .build();

        var would = control().cniGc(request.toBuilder().setDryRun(true).build()).getReport();
        assertThat(would.getExamined()).isEqualTo(2);
        assertThat(would.getCollectedList())
                .extracting(collected -> collected.getLease().getPod())
                .containsExactly("default/b");
        assertThat(engine.leases()).hasSize(2);

        var report = control().cniGc(request).getReport();
        assertThat(report.getCollected(0).getReason()).isEqualTo("not among the valid sandboxes");
        assertThat(report.getProblemsList()).isEmpty();
        assertThat(engine.leases()).extracting(lease -> lease.pod().toString()).containsExactly("default/a");
        JsonNode line = auditLines(4).get(3);
        assertThat(line.get("command").textValue()).isEqualTo("CniGc");
        assertThat(line.get("name").textValue()).contains(stays);
    }

    @Test
    void aCniGcWithoutAListIsRefusedSinceAllWouldEnd() {
        add("default/a");
        assertThat(detail(() -> control().cniGc(CniGcRequest.getDefaultInstance()))
                        .getMessage())
                .contains("no sandbox is named as valid");
        assertThat(detail(() -> control()
                                .cniGc(CniGcRequest.newBuilder()
                                        .addValid(CniAttachment.newBuilder().setContainer("/"))
                                        .build()))
                        .getCode())
                .isEqualTo("INVALID_ARGUMENT");
        assertThat(engine.leases()).hasSize(1);
    }

    @Test
    void aGarbageCollectionReportsWhatItWouldDo() {
        add("default/a");

        var report = control()
                .runGc(RunGcRequest.newBuilder().setDryRun(true).build())
                .getReport();

        assertThat(report.getDryRun()).isTrue();
        assertThat(report.getTook())
                .isEqualTo(Duration.newBuilder()
                        .setSeconds(1)
                        .setNanos(500_000_000)
                        .build());
        assertThat(report.getCollected(0).getReason()).isEqualTo("the pod is gone");
    }

    @Test
    void anAddressThatTheCloudTookFromAPodIsSeenEverywhere() throws IOException {
        add("default/a");
        engine.loseWhatIsLent();

        var report = control().syncPool(SyncPoolRequest.getDefaultInstance()).getReport();

        assertThat(report.getFindingsList()).singleElement().satisfies(finding -> {
            assertThat(finding.getKind()).isEqualTo("LOST");
            assertThat(finding.getPod()).isEqualTo("default/a");
            assertThat(finding.getResource().getParent()).isEqualTo("eni-1");
        });
        GetStatusReply status = client.status();
        assertThat(status.getLastSync()).isEqualTo(report);
        assertThat(status.getConditionsList())
                .singleElement()
                .asString()
                .contains("default/a", "eni-1", "1 pod without network");
        assertThat(client.inspect()
                        .listInUse(ListInUseRequest.getDefaultInstance())
                        .next()
                        .getLeases(0)
                        .getState())
                .isEqualTo("INVALID");
        assertThat(auditLines(2).get(1).get("command").textValue()).isEqualTo("SyncPool");
    }

    @Test
    void aNodeThatIsInOrderHasNoConditions() {
        add("default/a");

        GetStatusReply status = client.status();

        assertThat(status.hasLastSync()).isFalse();
        assertThat(status.getConditionsList()).isEmpty();
        assertThat(client.inspect()
                        .listInUse(ListInUseRequest.getDefaultInstance())
                        .next()
                        .getLeases(0)
                        .getState())
                .isEqualTo("IN_USE");
    }

    @Test
    void whileNothingCanBeMadeAndNothingIsIdleNeitherStatusNorCniStatusSaysAllIsWell() {
        Instant at = FakeEngine.AT;
        RetryState failing = new RetryState(
                4, ErrorKind.UNAVAILABLE, "ECS does not answer", at, at.plusSeconds(9), at.minusSeconds(65));
        engine.plan(agenda(List.of(), Optional.of(failing)));
        String why = "no address is idle, and none can be made: ECS does not answer";

        GetCniStatusReply cni = client.inspect().getCniStatus(GetCniStatusRequest.getDefaultInstance());
        assertThat(cni.getReady()).isFalse();
        assertThat(cni.getCode()).isEqualTo(50);
        assertThat(cni.getReasonsList()).containsExactly(why);
        assertThat(conditions()).containsExactly(why);
        assertThat(cni.getTroublesList()).singleElement().satisfies(trouble -> {
            assertThat(trouble.getCause()).isEqualTo("SUPPLY");
            assertThat(trouble.getSeverity()).isEqualTo("CRITICAL");
            assertThat(trouble.getSince()).isEqualTo(Proto.timestamp(at.minusSeconds(65)));
            assertThat(trouble.getAdvice()).contains("ecs calls --failed");
        });

        engine.put(ResourceState.IDLE, at);
        assertThat(client.inspect()
                        .getCniStatus(GetCniStatusRequest.getDefaultInstance())
                        .getReady())
                .as("the next pod gets what is idle")
                .isTrue();
    }

    @Test
    void createsThatTheCloudLeavesUnansweredMakeANodeWithoutStockUnready() {
        Instant at = FakeEngine.AT;
        PendingCreate making = new PendingCreate("token", "eni-ip", at.minusSeconds(30), at.plusSeconds(60));
        engine.plan(agenda(List.of(making), Optional.empty()));

        assertThat(client.inspect()
                        .getCniStatus(GetCniStatusRequest.getDefaultInstance())
                        .getReady())
                .isFalse();
        assertThat(conditions())
                .singleElement()
                .asString()
                .isEqualTo("no address is idle, and the cloud leaves creates unanswered");
    }

    @Test
    void aFailureThatNobodyTriesToGetOverDoesNotKeepPodsAway() {
        Instant at = FakeEngine.AT;
        engine.plan(agenda(
                List.of(),
                Optional.of(new RetryState(
                        1, ErrorKind.UNAVAILABLE, "no route", at.minusSeconds(60), at, at.minusSeconds(60)))));

        assertThat(client.inspect()
                        .getCniStatus(GetCniStatusRequest.getDefaultInstance())
                        .getReady())
                .isTrue();
        assertThat(conditions()).isEmpty();
    }

    private static PendingWork agenda(List<PendingCreate> creates, Optional<RetryState> trouble) {
        return new PendingWork(
                FakeEngine.AT, Set.of(), List.of(), creates, trouble, Map.of(), PendingWork.NextRuns.NONE);
    }

    private List<String> conditions() {
        return client.status().getConditionsList();
    }

    @Test
    void aSweepTellsWhatIsTakenAndWhatIsNotAndIsWrittenDown() throws IOException {
        SweepReport dry = control()
                .sweepEnis(SweepEnisRequest.newBuilder().setDryRun(true).build())
                .getReport();
        SweepReport wet =
                control().sweepEnis(SweepEnisRequest.getDefaultInstance()).getReport();

        assertThat(dry.getDryRun()).isTrue();
        assertThat(wet.getDryRun()).isFalse();
        assertThat(wet.getExamined()).isEqualTo(4);
        SweptEni taken = wet.getCandidates(0);
        assertThat(taken.getId()).isEqualTo("eni-a");
        assertThat(taken.getTaken()).isTrue();
        assertThat(taken.getAge().getSeconds()).isEqualTo(3600);
        assertThat(taken.getCreatedAt().getSeconds()).isEqualTo(FakeSweeper.MADE.getEpochSecond());
        assertThat(taken.getAddressesList()).containsExactly("10.0.0.7", "10.0.0.8");
        SweptEni left = wet.getCandidates(1);
        assertThat(left.getTaken()).isFalse();
        assertThat(left.hasAge()).isFalse();
        assertThat(left.getReason()).isEqualTo("it hangs on instance i-2");
        assertThat(auditLines(2))
                .extracting(line -> line.get("command").textValue() + " "
                        + line.path("dryRun").asBoolean(false))
                .containsExactly("SweepEnis true", "SweepEnis false");
    }

    @Test
    void aRecordIsFoundByItsFullKeyOrByAUniqueOne() {
        db.records.add(new ResourceDb.RawRecord("leases", "enipam/c1/eth0", "{\"a\":1}"));
        db.records.add(new ResourceDb.RawRecord("quarantine", "x", "{}"));
        db.records.add(new ResourceDb.RawRecord("intents", "x", "{}"));

        assertThat(record("enipam/c1/eth0")).isEqualTo("leases");
        assertThat(record("intents/x")).isEqualTo("intents");
        assertThat(detail(() -> record("x")).getHint()).contains("quarantine/x", "intents/x");
        assertThat(detail(() -> record("y")).getCode()).isEqualTo("NOT_FOUND");
        assertThat(client.inspect()
                        .dumpDb(DumpDbRequest.getDefaultInstance())
                        .next()
                        .getRecordsCount())
                .isEqualTo(3);
    }

    @Test
    void aHoldIsFoundByItsResourcesIdUnlessTwoFactoriesGiveIt() {
        db.records.add(new ResourceDb.RawRecord("quarantine", "eni-ip/eni-1/10.0.0.5", "{}"));
        db.records.add(new ResourceDb.RawRecord("reservations", "one/number/7", "{}"));
        db.records.add(new ResourceDb.RawRecord("intents", "other/number/7", "{}"));

        assertThat(record("eni-1/10.0.0.5")).isEqualTo("quarantine");
        assertThat(record("quarantine/eni-1/10.0.0.5")).isEqualTo("quarantine");
        assertThat(record("one/number/7")).isEqualTo("reservations");
        assertThat(detail(() -> record("number/7")).getHint())
                .contains("reservations/one/number/7", "intents/other/number/7");
        assertThat(detail(() -> record("10.0.0.5")).getCode()).isEqualTo("NOT_FOUND");
    }

    private String record(String key) {
        return client.inspect()
                .getDbRecord(GetDbRecordRequest.newBuilder().setKey(key).build())
                .getRecord()
                .getBucket();
    }

    @Test
    void aFollowerGetsTheEventsThatWereAndThoseToCome() {
        events.info("One", "x", "first");
        Iterator<WatchEventsReply> replies = client.inspect()
                .watchEvents(WatchEventsRequest.newBuilder().setFollow(true).build());

        assertThat(replies.next().getEvents(0).getType()).isEqualTo("One");
        events.warning("Two", "x", "second");
        Event second = replies.next().getEvents(0);
        assertThat(second.getSequence()).isEqualTo(2);
        assertThat(second.getSeverity()).isEqualTo("WARNING");
        events.close();
        assertThat(replies.hasNext()).isFalse();
    }

    @Test
    void withoutFollowTheEventsAfterANumberAreListed() {
        events.info("One", "x", "first");
        events.info("Two", "x", "second");

        List<Event> listed = client.inspect()
                .watchEvents(WatchEventsRequest.newBuilder().setAfterSequence(1).build())
                .next()
                .getEventsList();

        assertThat(listed)
                .singleElement()
                .satisfies(e -> assertThat(e.getType()).isEqualTo("Two"));
    }

    @Test
    void healthFollowsReadinessAndInspectionIsServedAllAlong() {
        assertThat(health("")).isEqualTo(ServingStatus.NOT_SERVING);
        assertThat(health("enipam.v1.Inspect")).isEqualTo(ServingStatus.SERVING);
        socket.serving(true);
        assertThat(health("")).isEqualTo(ServingStatus.SERVING);
        assertThat(health("enipam.v1.Control")).isEqualTo(ServingStatus.SERVING);
    }

    private ServingStatus health(String service) {
        return HealthGrpc.newBlockingStub(client.channel())
                .check(HealthCheckRequest.newBuilder().setService(service).build())
                .getStatus();
    }

    @Test
    void reflectionListsTheServices() {
        List<String> services = new CopyOnWriteArrayList<>();
        CountDownLatch done = new CountDownLatch(1);
        StreamObserver<ServerReflectionRequest> questions = ServerReflectionGrpc.newStub(client.channel())
                .serverReflectionInfo(new StreamObserver<>() {
                    @Override
                    public void onNext(ServerReflectionResponse reply) {
                        reply.getListServicesResponse()
                                .getServiceList()
                                .forEach(service -> services.add(service.getName()));
                    }

                    @Override
                    public void onError(Throwable failure) {
                        done.countDown();
                    }

                    @Override
                    public void onCompleted() {
                        done.countDown();
                    }
                });
        questions.onNext(
                ServerReflectionRequest.newBuilder().setListServices("").build());
        questions.onCompleted();

        await().atMost(java.time.Duration.ofMinutes(1)).until(() -> done.getCount() == 0);
        assertThat(services).contains("enipam.v1.Inspect", "enipam.v1.Control", "grpc.health.v1.Health");
    }

    @Test
    void everyChangeIsAuditedWithWhoAndWhatAndOutcomeAndNoInspectionIs() throws IOException {
        addTo("default/a", "c1");
        client.inspect().getConfig(GetConfigRequest.getDefaultInstance());
        detail(() -> add("nonsense"));
        String derived = add("default/b").getLease().getOwner().getContainer();

        List<JsonNode> lines = auditLines(3);
        assertThat(lines.get(2).get("container").textValue()).isEqualTo(derived);
        assertThat(lines.get(0).get("command").textValue()).isEqualTo("CniAdd");
        assertThat(lines.get(0).get("pod").textValue()).isEqualTo("default/a");
        assertThat(lines.get(0).get("container").textValue()).isEqualTo("c1");
        assertThat(lines.get(0).get("outcome").textValue()).isEqualTo("OK");
        assertThat(lines.get(0).get("uid").intValue()).isEqualTo(ownUid());
        assertThat(lines.get(0).get("pid").longValue())
                .isEqualTo(ProcessHandle.current().pid());
        assertThat(lines.get(1).get("outcome").textValue()).isEqualTo("INVALID_ARGUMENT");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("audit.log"))))
                .isEqualTo("rw-------");
    }

    @Test
    void whoCallsFromAnotherMachineIsInTheAuditLogBesideThePeerThatTheKernelKnows() throws IOException {
        Metadata said = new Metadata();
        said.put(
                Metadata.Key.of("enipam-caller", Metadata.ASCII_STRING_MARSHALLER),
                "alice@laptop \"{}" + "x".repeat(300));
        client.control()
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(said))
                .warmPool(WarmPoolRequest.newBuilder().setIdle(3).build());
        client.control().warmPool(WarmPoolRequest.newBuilder().setIdle(3).build());

        List<JsonNode> lines = auditLines(2);
        assertThat(lines.get(0).get("caller").textValue())
                .startsWith("alice@laptop????xxx")
                .hasSize(200);
        assertThat(lines.get(0).get("uid").intValue()).isEqualTo(ownUid());
        assertThat(lines.get(1).has("caller")).isFalse();
    }

    @Test
    void theAuditLogSaysWhatWasOrderedOfThePool() throws IOException {
        client.control().warmPool(WarmPoolRequest.newBuilder().setIdle(12).build());
        client.control().drainPool(DrainPoolRequest.getDefaultInstance());
        client.control().drainPool(DrainPoolRequest.newBuilder().setUndo(true).build());

        assertThat(auditLines(3))
                .extracting(line -> line.get("command").textValue() + " "
                        + (line.has("name") ? line.get("name").textValue() : ""))
                .containsExactly("WarmPool idle: 12", "DrainPool ", "DrainPool undo: true");
    }

    private List<JsonNode> auditLines(int expected) throws IOException {
        Path file = directory.resolve("audit.log");
        await().atMost(java.time.Duration.ofMinutes(1))
                .until(() -> Files.readAllLines(file).size() >= expected);
        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            lines.add(new JsonMapper().readTree(line));
        }
        assertThat(lines).hasSize(expected);
        return lines;
    }

    @Test
    void aStrangerMayNothingAndAGroupMemberMayOnlyLook() throws IOException {
        socket.close();
        socket = serve(new AccessRules(Set.of(), (peer, group) -> false));
        try (SocketClient stranger = new SocketClient(path())) {
            assertThat(detail(() -> stranger.inspect().getStatus(GetStatusRequest.getDefaultInstance()))
                            .getCode())
                    .isEqualTo("PERMISSION_DENIED");
        }
        socket.close();
        int uid = ownUid();
        socket = serve(new AccessRules(Set.of(), (peer, group) -> peer.uid() == uid && group.equals("enipam")));
        try (SocketClient member = new SocketClient(path())) {
            assertThat(member.inspect()
                            .getStatus(GetStatusRequest.getDefaultInstance())
                            .getPhase())
                    .isEqualTo("READY");
            CniAddRequest request =
                    CniAddRequest.newBuilder().setPod("default/a").build();
            StatusRuntimeException refusal = catchThrowableOfType(
                    StatusRuntimeException.class, () -> member.control().cniAdd(request));
            assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
            assertThat(refusal.getStatus().getDescription()).contains("user id " + uid, "enipam.v1.Control/CniAdd");
        }
        assertThat(engine.asked()).isEmpty();
        assertThat(auditLines(1).get(0).get("outcome").textValue()).isEqualTo("PERMISSION_DENIED");
    }

    @Test
    void theSocketIsForOwnerAndGroupAndGoesWithTheServer() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
                .isEqualTo("rw-rw----");
        socket.close();
        assertThat(path()).doesNotExist();
    }

    @Test
    void aLiveSocketIsNotTakenOver() {
        assertThatThrownBy(() -> serve(AccessRules.ofThisHost(0)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is served by another process");
        assertThat(add("default/a").hasLease()).isTrue();
    }

    @Test
    void theSocketOfADeadDaemonIsReplaced() throws IOException {
        socket.close();
        try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            dead.bind(UnixDomainSocketAddress.of(path()));
        }
        assertThat(path()).exists();

        socket = serve(AccessRules.ofThisHost(ownUid()));

        try (SocketClient fresh = new SocketClient(path())) {
            assertThat(fresh.inspect()
                            .getStatus(GetStatusRequest.getDefaultInstance())
                            .getNode())
                    .isEqualTo("node-1");
        }
    }

    @Test
    void theCallsOfTheCloudAreListedTheLatestFirstAndCanBeNarrowed() {
        calls.recordEnd(CloudApi.ATTACH_NETWORK_INTERFACE, "eni-1", java.time.Duration.ofMillis(7), "", "req-1", 1);
        calls.recordEnd(
                CloudApi.ATTACH_NETWORK_INTERFACE, "eni-2", java.time.Duration.ofSeconds(2), "Throttling", "r", 3);
        calls.recordEnd(CloudApi.DESCRIBE_VSWITCHES, "vsw-1", java.time.Duration.ofMillis(1), "", "req-3", 1);

        assertThat(listed(ListCloudCallsRequest.newBuilder()))
                .extracting(CloudCall::getTarget)
                .containsExactly("vsw-1", "eni-2", "eni-1");
        assertThat(listed(ListCloudCallsRequest.newBuilder().setApi("AttachNetworkInterface")))
                .hasSize(2);
        assertThat(listed(ListCloudCallsRequest.newBuilder().setLimit(1))).hasSize(1);
        assertThat(listed(ListCloudCallsRequest.newBuilder().setFailed(true)))
                .singleElement()
                .satisfies(call -> {
                    assertThat(call.getCode()).isEqualTo("Throttling");
                    assertThat(call.getTook().getSeconds()).isEqualTo(2);
                    assertThat(call.getRequestId()).isEqualTo("r");
                    assertThat(call.getAttempts()).isEqualTo(3);
                    assertThat(call.getSequence()).isEqualTo(2);
                });
        assertThat(detail(() -> listed(ListCloudCallsRequest.newBuilder().setApi("Attach")))
                        .getMessage())
                .contains("does not call an API 'Attach'");
        assertThat(detail(() -> listed(ListCloudCallsRequest.newBuilder().setLimit(-1)))
                        .getCode())
                .isEqualTo("INVALID_ARGUMENT");
    }

    private List<CloudCall> listed(ListCloudCallsRequest.Builder request) {
        List<CloudCall> all = new ArrayList<>();
        client.inspect().listCloudCalls(request.build()).forEachRemaining(reply -> all.addAll(reply.getCallsList()));
        return all;
    }

    @Test
    void theBudgetTellsWhatIsLeftAndWhatWentWrong() {
        CallPermission.Granted first = (CallPermission.Granted) calls.acquire(CloudApi.CREATE_NETWORK_INTERFACE);
        CallPermission.Granted second = (CallPermission.Granted) calls.acquire(CloudApi.CREATE_NETWORK_INTERFACE);
        calls.recordServed(CloudApi.CREATE_NETWORK_INTERFACE, first, "InternalError", java.time.Duration.ofMillis(40));
        calls.recordThrottling(
                CloudApi.CREATE_NETWORK_INTERFACE, second, "Throttling.User", java.time.Duration.ofMillis(3));

        List<CloudApiBudget> apis = client.inspect()
                .getCloudBudget(GetCloudBudgetRequest.getDefaultInstance())
                .getApisList();

        assertThat(apis).hasSize(CloudApi.values().length);
        assertThat(apis)
                .filteredOn(api -> api.getApi().equals("CreateNetworkInterface"))
                .singleElement()
                .satisfies(api -> {
                    assertThat(api.getLimit()).isEqualTo(7);
                    assertThat(api.getCalls()).isEqualTo(2);
                    assertThat(api.getThrottles()).isEqualTo(1);
                    assertThat(api.getErrorsList())
                            .extracting(CloudErrorCount::getCode)
                            .containsExactly("InternalError", "Throttling.User");
                    assertThat(api.hasInhibitedUntil()).isTrue();
                    assertThat(api.getLeft()).isZero();
                    assertThat(api.getMax().getNanos()).isEqualTo(40_000_000);
                    assertThat(api.getLatenciesList().stream()
                                    .mapToLong(LatencyBucket::getCount)
                                    .sum())
                            .isEqualTo(2);
                });
    }

    @Test
    void aFileThatIsNoSocketIsNeverRemoved() throws IOException {
        socket.close();
        Files.writeString(path(), "precious");

        assertThatThrownBy(() -> serve(AccessRules.ofThisHost(0))).hasMessageContaining("is no socket");
        assertThat(path()).hasContent("precious");
    }

    private CniAddReply add(String pod) {
        return control().cniAdd(CniAddRequest.newBuilder().setPod(pod).build());
    }

    private void addTo(String pod, String container) {
        control()
                .cniAdd(CniAddRequest.newBuilder()
                        .setPod(pod)
                        .setContainer(container)
                        .build());
    }

    private CniDelReply del(String pod) {
        return control().cniDel(CniDelRequest.newBuilder().setPod(pod).build());
    }

    private io.enipam.v1.ControlGrpc.ControlBlockingStub control() {
        return client.control();
    }

    private static ErrorDetail detail(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        StatusRuntimeException failure = catchThrowableOfType(StatusRuntimeException.class, call);
        return failure.getTrailers().get(GrpcFailures.DETAIL);
    }
}

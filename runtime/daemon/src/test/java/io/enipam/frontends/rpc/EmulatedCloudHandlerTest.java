package io.enipam.frontends.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Duration;
import io.enipam.aliyun.AliyunConfig;
import io.enipam.daemon.testing.SocketClient;
import io.enipam.emulator.CloudEmulator;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.emulator.cloud.CloudSnapshot;
import io.enipam.emulator.control.CloudControl;
import io.enipam.emulator.fault.Effect.DropAnswer;
import io.enipam.emulator.fault.FaultRule;
import io.enipam.events.EventRing;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.node.cloud.CloudEmulation;
import io.enipam.node.cloud.CloudEmulation.EmulatedCloudControl;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.v1.ActOnCloudReply;
import io.enipam.v1.ActOnCloudRequest;
import io.enipam.v1.AddCloudFaultRequest;
import io.enipam.v1.CloudFault;
import io.enipam.v1.ControlGrpc.ControlBlockingStub;
import io.enipam.v1.DropCall;
import io.enipam.v1.ErrorDetail;
import io.enipam.v1.FailCall;
import io.enipam.v1.GetCloudReply;
import io.enipam.v1.GetCloudRequest;
import io.enipam.v1.ListCloudNamesReply;
import io.enipam.v1.ListCloudNamesRequest;
import io.enipam.v1.RemoveCloudFaultRequest;
import io.enipam.v1.ResetCloudReply;
import io.enipam.v1.ResetCloudRequest;
import io.enipam.v1.SetCloudLatencyRequest;
import io.enipam.v1.SetCloudThrottleRequest;
import io.enipam.v1.StickEni;
import io.enipam.v1.TearAnswer;
import io.enipam.v1.ThrottleApi;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The calls about the emulated cloud on the real unix socket, over a real emulator and a fake engine. */
class EmulatedCloudHandlerTest {
    private final CloudEmulator emulator = CloudEmulator.start(EmulatorConfig.defaults());
    private final CompletableFuture<CloudEmulation> emulation = new CompletableFuture<>();
    private final ExecutorScheduler scheduler = new ExecutorScheduler();
    private final SystemTime time = new SystemTime();
    private final EventRing events = new EventRing(time, scheduler);

    @TempDir
    Path directory;

    private AuditLog audit;
    private ControlSocket socket;
    private SocketClient client;

    @BeforeEach
    void open() throws IOException {
        audit = AuditLog.open(directory.resolve("audit.log"), 1 << 20, time);
        emulation.complete(new Emulation());
        serve(new EmulatedCloudControl(Optional.of(emulation)));
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        socket.close();
        events.close();
        audit.close();
        scheduler.close();
        emulator.close();
    }

    private void serve(EmulatedCloudControl cloud) throws IOException {
        ServiceContext served = new ServedNode(time, events, Map.of()).context(directory, cloud);
        Path path = directory.resolve("s.sock");
        int ownUid = ((Number) Files.getAttribute(directory, "unix:uid")).intValue();
        socket = ControlSocket.open(path, AccessRules.ofThisHost(ownUid), audit, served);
        client = new SocketClient(path);
    }

    static Stream<CloudFault> faults() {
        CloudFault.Builder any = CloudFault.newBuilder().setApi("*");
        return Stream.of(
                any.clone()
                        .setNth(3)
                        .setFail(FailCall.newBuilder()
                                .setCode("Own.Code")
                                .setHttpStatus(502)
                                .setMessage("m")
                                .setAfterWork(true))
                        .build(),
                any.clone()
                        .setEvery(2)
                        .setAtMost(5)
                        .setDelay(Duration.newBuilder().setNanos(1_500_000))
                        .build(),
                any.clone()
                        .setPercent(2.5)
                        .setDrop(DropCall.newBuilder().setAfterWork(true))
                        .build(),
                any.clone().setDrop(DropCall.getDefaultInstance()).build(),
                any.clone()
                        .setTear(TearAnswer.newBuilder().setAt("elsewhere").setHidden(true))
                        .build(),
                any.clone()
                        .setApi("DetachNetworkInterface")
                        .setEni("eni-a")
                        .setStick(StickEni.newBuilder().setUntilReissued(true))
                        .build(),
                any.clone().setThrottle(ThrottleApi.getDefaultInstance()).build());
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aFaultIsAddedAndListedAsItWasGiven(CloudFault fault) {
        CloudFault added = add(fault);

        assertThat(added).isEqualTo(fault.toBuilder().setId(1).build());
        assertThat(get().getFaultsList()).containsExactly(added);
        assertThat(emulator.faults().list()).hasSize(1);
    }

    @Test
    void aKnownCodeBringsItsStatusAndMessage() {
        CloudFault added = add(CloudFault.newBuilder()
                .setApi("DescribeInstances")
                .setFail(FailCall.newBuilder().setCode("ServiceUnavailable"))
                .build());

        assertThat(added.getFail().getHttpStatus()).isEqualTo(503);
        assertThat(added.getFail().getMessage()).isNotEmpty();
    }

    @Test
    void whatCannotBeIsRefusedWithItsReason() {
        CloudFault.Builder fault = CloudFault.newBuilder().setApi("*");

        refused("INVALID_ARGUMENT", "does not say what goes wrong", () -> add(fault.build()));
        refused(
                "INVALID_ARGUMENT",
                "'Own' is not known",
                () -> add(fault.clone()
                        .setFail(FailCall.newBuilder().setCode("Own"))
                        .build()));
        refused(
                "INVALID_ARGUMENT",
                "no action 'Nothing'",
                () -> add(fault.clone()
                        .setApi("Nothing")
                        .setThrottle(ThrottleApi.getDefaultInstance())
                        .build()));
        refused(
                "INVALID_ARGUMENT",
                "not at 'end'",
                () -> add(fault.clone()
                        .setTear(TearAnswer.newBuilder().setAt("end"))
                        .build()));
        refused("NOT_FOUND", "there is no fault 7", () -> remove(7));
        refused("INVALID_ARGUMENT", "'slow' is no latency", () -> setLatency("slow"));
        refused("INVALID_ARGUMENT", "no action 'Assign'", () -> setLatency("Assign=1s"));
        refused("INVALID_ARGUMENT", "'some' is no limit", () -> setThrottle("some"));
        refused("INVALID_ARGUMENT", "no action 'Assign'", () -> setThrottle("Assign=1"));
        refused("INVALID_ARGUMENT", "what to do", () -> act(ActOnCloudRequest.newBuilder()));
        refused(
                "NOT_FOUND",
                "no ENI eni-none",
                () -> act(ActOnCloudRequest.newBuilder().setDetachEni("eni-none")));
        refused(
                "INVALID_ARGUMENT",
                "primary ENI",
                () -> act(ActOnCloudRequest.newBuilder().setDetachEni(primary().id())));
        refused(
                "INVALID_ARGUMENT",
                "primary address",
                () -> act(ActOnCloudRequest.newBuilder()
                        .setTakeIp(primary().addresses().primaryIp())));
    }

    @Test
    void faultsGoOneByOneOrAllAtOnce() {
        for (int i = 0; i < 3; i++) {
            emulator.faults().add(FaultRule.on("*").does(new DropAnswer()));
        }

        assertThat(remove(2)).isEqualTo(1);
        assertThat(remove(0)).isEqualTo(2);
        assertThat(remove(0)).isZero();
    }

    @Test
    void latencyAndLimitsAreSetAndAResetUndoesThemAndEverythingElse() {
        assertThat(setLatency("real")).isEqualTo("none -> real");
        assertThat(setThrottle("*=5")).isEqualTo("off -> *=5");
        emulator.faults().add(FaultRule.on("*").does(new DropAnswer()));
        act(ActOnCloudRequest.newBuilder().setSkewClock(Duration.newBuilder().setSeconds(-90)));
        GetCloudReply before = get();
        assertThat(before.getLatency()).isEqualTo("real");
        assertThat(before.getThrottle()).isEqualTo("*=5");
        assertThat(before.getClockAhead().getSeconds()).isEqualTo(-90);

        ResetCloudReply reset = control().resetCloud(ResetCloudRequest.getDefaultInstance());
        assertThat(reset.getRemovedCount()).isEqualTo(1);
        assertThat(reset.getLatency()).isEqualTo("none");
        assertThat(reset.getThrottle()).isEqualTo("off");
        assertThat(get().getClockAhead()).isEqualTo(Duration.getDefaultInstance());
    }

    @Test
    void anEniIsMadeToStickAndLetGo() {
        String eni = primary().id();
        ActOnCloudReply stuck = act(ActOnCloudRequest.newBuilder().setStickEni(eni));

        assertThat(stuck.getWaitingFault()).isEqualTo(1);
        assertThat(get().getFaults(0).getEni()).isEqualTo(eni);
        act(ActOnCloudRequest.newBuilder().setReleaseEni(eni));
        assertThat(get().getFaultsList()).isEmpty();
        refused(
                "INVALID_ARGUMENT",
                "does not stick",
                () -> act(ActOnCloudRequest.newBuilder().setReleaseEni(eni)));
    }

    @Test
    void credentialsAreMadeToExpire() {
        assertThat(act(ActOnCloudRequest.newBuilder().setExpireKey("")).getKey())
                .startsWith("STS.");
        assertThat(act(ActOnCloudRequest.newBuilder().setExpireKey("testid")).getKey())
                .isEqualTo("testid");
    }

    @Test
    void theNamesAreThoseOfTheCloud() {
        ListCloudNamesReply names = client.inspect().listCloudNames(ListCloudNamesRequest.getDefaultInstance());

        assertThat(names.getApisList()).contains("AssignPrivateIpAddresses", "DescribeVSwitches");
        assertThat(names.getCodesList()).contains("Throttling.User", "InvalidEniId.NotFound");
    }

    @Test
    void everyChangeIsInTheAuditLogWithWhatWasAsked() throws IOException {
        add(CloudFault.newBuilder()
                .setApi("*")
                .setDrop(DropCall.getDefaultInstance())
                .build());
        refused(
                "NOT_FOUND",
                "eni-none",
                () -> act(ActOnCloudRequest.newBuilder().setDetachEni("eni-none")));

        await().atMost(java.time.Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(Files.readAllLines(directory.resolve("audit.log")))
                        .hasSize(2));
        List<String> lines = Files.readAllLines(directory.resolve("audit.log"));
        assertThat(lines.get(0)).contains("\"command\":\"AddCloudFault\"", "api: \\\"*\\\"", "\"outcome\":\"OK\"");
        assertThat(lines.get(1)).contains("\"command\":\"ActOnCloud\"", "eni-none", "\"outcome\":\"NOT_FOUND\"");
    }

    @Test
    void aRealCloudCannotBeMadeToGoWrong() throws IOException {
        client.close();
        socket.close();
        serve(new EmulatedCloudControl(Optional.empty()));

        refused("INVALID_ARGUMENT", "is not emulated", this::get);
        refused("INVALID_ARGUMENT", "is not emulated", () -> setLatency("real"));
        refused(
                "INVALID_ARGUMENT",
                "is not emulated",
                () -> act(ActOnCloudRequest.newBuilder().setTakeIp("10.0.0.1")));
    }

    @Test
    void aCloudThatIsNotUpYetIsToBeTriedAgain() throws IOException {
        client.close();
        socket.close();
        serve(new EmulatedCloudControl(Optional.of(new CompletableFuture<>())));

        refused("TRY_AGAIN", "not up", this::get);
    }

    private CloudSnapshot.EniEntry primary() {
        return emulator.snapshot().enis().get(0);
    }

    private CloudFault add(CloudFault fault) {
        return control()
                .addCloudFault(AddCloudFaultRequest.newBuilder().setFault(fault).build())
                .getFault();
    }

    private int remove(int id) {
        return control()
                .removeCloudFault(RemoveCloudFaultRequest.newBuilder().setId(id).build())
                .getRemovedCount();
    }

    private String setLatency(String latency) {
        var reply = control()
                .setCloudLatency(
                        SetCloudLatencyRequest.newBuilder().setLatency(latency).build());
        return reply.getFrom() + " -> " + reply.getTo();
    }

    private String setThrottle(String throttle) {
        var reply = control()
                .setCloudThrottle(SetCloudThrottleRequest.newBuilder()
                        .setThrottle(throttle)
                        .build());
        return reply.getFrom() + " -> " + reply.getTo();
    }

    private ActOnCloudReply act(ActOnCloudRequest.Builder request) {
        return control().actOnCloud(request.build());
    }

    private GetCloudReply get() {
        return client.inspect().getCloud(GetCloudRequest.getDefaultInstance());
    }

    private ControlBlockingStub control() {
        return client.control();
    }

    private static void refused(String code, String reason, Runnable call) {
        StatusRuntimeException refusal = catchThrowableOfType(StatusRuntimeException.class, call::run);
        ErrorDetail detail = GrpcFailures.trailersOf(refusal).get(GrpcFailures.DETAIL);
        assertThat(detail).isNotNull();
        assertThat(detail.getCode()).isEqualTo(code);
        assertThat(detail.getMessage()).contains(reason);
    }

    private final class Emulation implements CloudEmulation {
        @Override
        public AliyunConfig client() {
            throw new UnsupportedOperationException("nobody calls this cloud");
        }

        @Override
        public Optional<CloudControl> control() {
            return Optional.of(emulator.control());
        }

        @Override
        public void close() {}
    }
}

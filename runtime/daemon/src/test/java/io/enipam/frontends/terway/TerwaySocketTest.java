package io.enipam.frontends.terway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.enipam.config.ConfigLoader;
import io.enipam.config.DaemonConfig;
import io.enipam.config.KnownPlugins;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.frontends.terway.TerwaySocket.RootOnlyInterceptor;
import io.enipam.kubernetes.cidr.InMemoryAddressFileStore;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.node.kernel.NodeView;
import io.enipam.node.pods.SimulatedPods;
import io.enipam.platform.testing.FakeEngine;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.terway.rpc.AllocIPReply;
import io.enipam.terway.rpc.AllocIPRequest;
import io.enipam.terway.rpc.ENI;
import io.enipam.terway.rpc.IPType;
import io.enipam.terway.rpc.Pod;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Terway's contract as its plugin sees it on the real unix socket, over a fake engine. */
class TerwaySocketTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String MAC = "02:00:00:00:00:01";

    private final FakeEngine engine = new FakeEngine(20);
    private final Node node = new Node();
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
    private volatile List<String> services = List.of("fd00::/112", "172.21.0.0/20");

    @TempDir
    Path directory;

    private NodeDatapath kernel;
    private TerwaySocket socket;
    private FakeTerwayPlugin plugin;

    /** A node whose links a test makes. */
    private static final class Node implements NodeView {
        private volatile OptionalInt link = OptionalInt.of(3);
        private volatile Optional<InetAddress> own = Optional.of(Address.literal("10.9.0.1"));
        private volatile boolean showsLinks = true;
        private volatile int looks;
        private volatile boolean connected = true;

        @Override
        public boolean showsLinks() {
            return showsLinks;
        }

        @Override
        public OptionalInt linkOf(String mac) {
            looks++;
            return mac.equals(MAC) ? link : OptionalInt.empty();
        }

        @Override
        public boolean hasLink(String name) {
            return connected;
        }

        @Override
        public Map<String, String> hostRoutes() {
            return Map.of();
        }

        @Override
        public Optional<InetAddress> address(Family family) {
            return family == Family.IPV4 ? own : Optional.empty();
        }

        @Override
        public List<String> serviceCidrs() {
            return List.of();
        }
    }

    @BeforeEach
    void open() throws IOException {
        engine.lendWith(Map.of(Resource.MAC, "02:00:00:00:00:01", Resource.GATEWAY, "10.0.0.253"));
        kernel = new NodeDatapath(directory.resolve("simulated"), directory.resolve("callers"), "");
        socket = TerwaySocket.open(path(), ownUid(), context());
        plugin = new FakeTerwayPlugin(path());
        engine.start().join();
    }

    @AfterEach
    void close() {
        plugin.close();
        socket.close();
        threads.shutdownNow();
    }

    private TerwayContext context() throws IOException {
        DaemonConfig config = ConfigLoader.load(List.of(), true, Map.of(), KnownPlugins.none());
        return new TerwayContext(
                () -> config,
                engine,
                SimulatedPods.open(directory.resolve("pods.json"), List.of(), List.of()),
                kernel,
                node,
                new TerwayContext.ClusterNetwork(
                        () -> services,
                        () -> Optional.of("10.7.0.0/24"),
                        new InMemoryAddressFileStore(),
                        directory.resolve("sandboxes")),
                (severity, type, subject, message, attributes) -> {},
                threads);
    }

    private Path path() {
        return directory.resolve("eni/eni.socket");
    }

    private int ownUid() throws IOException {
        return ((Number) Files.getAttribute(directory, "unix:uid")).intValue();
    }

    private Lease held(String pod, String container, ResourceKind kind, Map<String, String> attributes, Instant since) {
        Lease lease = new Lease(
                new OwnerKey("enipam", container, "eth0"),
                PodRef.parse("default/" + pod),
                "uid",
                new Resource(
                        new ResourceId("r-" + container), kind, List.of(Address.parse("10.0.9.77/20")), "", attributes),
                Duration.ZERO,
                since);
        engine.put(lease);
        return lease;
    }

    private Lease held(String pod, String container) {
        return held(
                pod,
                container,
                ResourceKind.ENI_IP,
                Map.of(Resource.MAC, MAC, Resource.GATEWAY, "10.0.0.253"),
                Instant.EPOCH);
    }

    private StatusRuntimeException refusal(Runnable call) {
        return catchThrowableOfType(StatusRuntimeException.class, call::run);
    }

    @Test
    void theSocketIsForRootAndTheDaemonsUserAlone() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
                .isEqualTo("rw-------");
        RootOnlyInterceptor rule = new RootOnlyInterceptor(1000);
        assertThat(rule.allows(0)).isTrue();
        assertThat(rule.allows(1000)).isTrue();
        assertThat(rule.allows(1001)).isFalse();
        assertThat(rule.allows(-1)).isFalse();
    }

    @Test
    void aStaleSocketIsReplacedAndAServedOneIsNot() throws IOException {
        Path stale = directory.resolve("stale.socket");
        ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(stale))
                .close();
        TerwaySocket.open(stale, ownUid(), context()).close();

        assertThatThrownBy(() -> TerwaySocket.open(path(), ownUid(), context()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("served by another process; stop it");
    }

    @Test
    void allocTellsThePluginAllThatItConnectsAPodWith() {
        AllocIPReply reply = plugin.add("web-0", "c1");

        ENI eni = reply.getENIMultiIP().getEniConfig();
        assertThat(reply.getIPType()).isEqualTo(IPType.TypeENIMultiIP);
        assertThat(eni)
                .isEqualTo(ENI.newBuilder()
                        .setIPv4Addr("10.0.0.2")
                        .setIPv4Subnet("10.0.0.0/24")
                        .setMacAddr(MAC)
                        .setGateway("10.0.0.253")
                        .setDeviceNumber(3)
                        .setPrimaryIPv4Addr("10.9.0.1")
                        .build());
        assertThat(reply.getENIMultiIP().getServiceCidr()).isEqualTo("172.21.0.0/20");
        assertThat(reply.getENIMultiIP().getPodConfig()).isEqualTo(Pod.getDefaultInstance());
        assertThat(engine.asked()).singleElement().satisfies(command -> {
            assertThat(command.owner()).hasToString("enipam/c1/eth0");
            assertThat(command.link()).isEqualTo(LinkRequest.byCaller("/var/run/netns/c1"));
            assertThat(command.by()).isEqualTo("terway");
        });
        assertThat(plugin.done).containsExactly("veth 10.0.0.2 table 1003");
    }

    @Test
    void theSubnetIsThatOfTheVswitchWhateverBitsTheAddressHas() {
        held("web-0", "c1");

        assertThat(plugin.add("web-0", "c1").getENIMultiIP().getEniConfig().getIPv4Subnet())
                .isEqualTo("10.0.0.0/20");
    }

    @Test
    void limitsAreTheManifestsInBytesASecond() {
        Lease lease = held("web-0", "c1");
        kernel.setUp(new DatapathRequest(
                        lease,
                        LinkRequest.byCaller("/var/run/netns/c1"),
                        new PodNetworkSpec(OptionalLong.of(10_485_760), OptionalLong.of(1_250), false)))
                .toCompletableFuture()
                .join();

        Pod limits = Pod.newBuilder().setIngress(10_485_760).setEgress(1_250).build();
        assertThat(plugin.add("web-0", "c1").getENIMultiIP().getPodConfig()).isEqualTo(limits);
        assertThat(plugin.info("web-0", "c1").getPodConfig()).isEqualTo(limits);
    }

    @Test
    void anEniOfThePodsOwnComesAsVpceniAndItsRepeatedAddLooksForNoLinkOnTheNode() {
        held(
                "own-0",
                "c1",
                new ResourceKind("eni"),
                Map.of(Resource.MAC, "02:00:00:AA:BB:CC", Resource.GATEWAY, "10.0.0.253"),
                Instant.EPOCH);

        AllocIPReply reply = plugin.add("own-0", "c1");

        assertThat(reply.getIPType()).isEqualTo(IPType.TypeVPCENI);
        assertThat(reply.getVpcEni().getEniConfig().getMacAddr())
                .as("Go's text of a link's address is in lower case")
                .isEqualTo("02:00:00:aa:bb:cc");
        assertThat(reply.getVpcEni().getServiceCidr()).isEqualTo("172.21.0.0/20");
        assertThat(plugin.info("own-0", "c1").getIPType()).isEqualTo(IPType.TypeVPCENI);
    }

    @Test
    void aPodWithAnEniOfItsOwnIsNotConnectedWithoutKnowingTheServices() {
        held(
                "own-0",
                "c1",
                new ResourceKind("eni"),
                Map.of(Resource.MAC, MAC, Resource.GATEWAY, "10.0.0.253"),
                Instant.EPOCH);
        services = List.of("fd00::/112");

        assertThat(refusal(() -> plugin.add("own-0", "c1")))
                .hasMessageContaining("services is not known")
                .hasMessageContaining("set service_cidr in eni.json");
    }

    @Test
    void aLinkThatAppearsAMomentAfterTheAttachIsWaitedFor() {
        node.link = OptionalInt.empty();
        threads.execute(() -> {
            await().atMost(PATIENCE).until(() -> node.looks > 2);
            node.link = OptionalInt.of(7);
        });

        assertThat(plugin.add("web-0", "c1").getENIMultiIP().getEniConfig().getDeviceNumber())
                .isEqualTo(7);
    }

    @Test
    void whatThePluginCouldNotUseIsGivenBackAndRefusedWithTheReason() {
        node.own = Optional.empty();
        assertThat(refusal(() -> plugin.add("web-0", "c1")))
                .satisfies(refusal -> assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.INTERNAL))
                .hasMessageContaining("the node's own IPv4 address is not known")
                .hasMessageContaining("ip route show default");
        assertThat(engine.leases())
                .as("the plugin releases nothing that it did not hear of")
                .isEmpty();

        node.own = Optional.of(Address.literal("10.9.0.1"));
        node.link = OptionalInt.of(254);
        assertThat(refusal(() -> plugin.add("web-0", "c1")))
                .hasMessageContaining("eni-1 has index 254, which terway's plugin takes for table main");
        assertThat(engine.leases()).isEmpty();

        engine.lendWith(Map.of());
        assertThat(refusal(() -> plugin.add("web-0", "c1")))
                .hasMessageContaining("hangs on no ENI")
                .hasMessageContaining("let enipam-cni connect pods");
        assertThat(engine.leases()).isEmpty();
    }

    @Test
    void aLinkThatDoesNotComeWithinTheCallersTimeIsNamedWithItsMac() {
        node.link = OptionalInt.empty();

        // again where its words came later than the caller's time
        await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
            StatusRuntimeException refusal = refusal(() -> plugin.stub()
                    .withDeadlineAfter(4, java.util.concurrent.TimeUnit.SECONDS)
                    .allocIP(FakeTerwayPlugin.request("web-0", "c1").build()));

            assertThat(refusal).hasMessageContaining("ENI eni-1 has no link with MAC " + MAC);
            assertThat(engine.leases()).isEmpty();
        });
    }

    @Test
    void aLinkThatIsMissingBecauseSysIsOfAnotherNamespaceIsToldSo() {
        node.link = OptionalInt.empty();
        node.showsLinks = false;

        StatusRuntimeException refusal = refusal(() -> plugin.add("web-0", "c1"));

        assertThat(refusal)
                .hasMessageContaining("/sys/class/net, which shows another network namespace than the daemon's")
                .hasMessageContaining("mount a sysfs");
        assertThat(engine.leases()).isEmpty();
    }

    @Test
    void mistake3WhatIsReleasedWhileItsLinkIsWaitedForIsNotHandedOut() {
        node.link = OptionalInt.empty();
        CompletableFuture<AllocIPReply> alloc = CompletableFuture.supplyAsync(
                () -> plugin.stub()
                        .allocIP(FakeTerwayPlugin.request("web-0", "c1").build()),
                threads);
        await().atMost(PATIENCE).until(() -> !engine.leases().isEmpty() && node.looks > 0);

        plugin.release("web-0", "c1");
        node.link = OptionalInt.of(3);

        assertThatThrownBy(alloc::join)
                .hasMessageContaining("UNAVAILABLE")
                .hasMessageContaining("was released while its address was on the way");
        assertThat(engine.leases()).isEmpty();
    }

    @Test
    void aRepeatedCallThatFailsTakesNothingFromTheOneBefore() {
        plugin.add("web-0", "c1");
        node.own = Optional.empty();

        assertThat(refusal(() -> plugin.add("web-0", "c1"))).isNotNull();

        assertThat(engine.leases()).hasSize(1);
    }

    @Test
    void releaseEndsWhatTheContainerHasAndASecondOneIsSuccess() {
        plugin.add("web-0", "c1");

        assertThat(plugin.del("web-0", "c1")).satisfies(reply -> {
            assertThat(reply.getIPv4Addr()).isEqualTo("10.0.0.2");
            assertThat(reply.getDeviceNumber()).isEqualTo(3);
        });
        assertThat(engine.leases()).isEmpty();

        assertThat(plugin.del("web-0", "c1")).satisfies(reply -> {
            assertThat(reply.getSuccess()).isTrue();
            assertThat(reply.getIPv4Addr()).isEmpty();
        });
    }

    @Test
    void releaseFindsAnInterfaceOfAnyNameSinceItIsToldNone() {
        plugin.stub()
                .allocIP(FakeTerwayPlugin.request("web-0", "c1")
                        .setIfName("net1")
                        .build());

        assertThat(plugin.release("web-0", "c1").getIPv4Addr()).isEqualTo("10.0.0.2");

        assertThat(engine.leases()).isEmpty();
    }

    @Test
    void releaseByAContainerIdUnderAnotherPodsNameChangesNothing() {
        plugin.add("web-0", "c1");

        assertThat(plugin.release("web-9", "c1").getSuccess()).isTrue();

        assertThat(engine.leases()).hasSize(1);
    }

    @Test
    void aSandboxThatNobodyKnowsIsAnsweredAsOneOfThePresentMode() {
        assertThat(plugin.info("web-0", "unknown").getIPType()).isEqualTo(IPType.TypeENIMultiIP);
        assertThat(plugin.info("web-0", "unknown").hasPodConfig()).isTrue();
    }

    @Test
    void mistake28ALateDelOfAReplacedSandboxSucceedsAndNeverLooksForTheNewerOnesLink() {
        held("web-0", "old");
        held(
                "web-0",
                "new",
                ResourceKind.ENI_IP,
                Map.of(Resource.MAC, MAC, Resource.GATEWAY, "10.0.0.253"),
                Instant.EPOCH.plusSeconds(60));

        for (int attempt = 0; attempt < 2; attempt++) {
            assertThat(plugin.del("web-0", "old").getSuccess()).isTrue();
            assertThat(plugin.done).isEmpty();
            assertThat(engine.leases())
                    .extracting(lease -> lease.owner().containerId())
                    .as("the former one's address is given back")
                    .containsExactly("new");
        }
        assertThat(plugin.del("web-0", "new").getSuccess()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "K8sPodName,''",
        "K8sPodName,Not_A_Name",
        "K8sPodName,../../etc/passwd",
        "K8sPodNamespace,''",
        "K8sPodNamespace,a.b",
        "K8sPodInfraContainerId,''",
        "K8sPodInfraContainerId,../x",
        "K8sPodInfraContainerId,.hidden",
        "IfName,''",
        "IfName,a/b",
        "IfName,sixteencharacter",
        "IfName,..",
    })
    void aFieldOfNoUseIsNamed(String field, String value) {
        StatusRuntimeException refusal = refusal(() -> plugin.stub().allocIP(with(field, value)));

        assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(refusal).hasMessageContaining("field " + field + " ");
        assertThat(engine.asked()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"K8sPodName", "K8sPodNamespace", "K8sPodInfraContainerId", "IfName", "Netns"})
    void aHugeFieldIsRefusedByItsNameAndNotRepeated(String field) {
        StatusRuntimeException refusal = refusal(() -> plugin.stub().allocIP(with(field, "a".repeat(500_000))));

        assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(refusal.getMessage()).contains("field " + field + " ").hasSizeLessThan(400);
    }

    private static AllocIPRequest with(String field, String value) {
        AllocIPRequest.Builder request = FakeTerwayPlugin.request("web-0", "c1");
        return request.setField(AllocIPRequest.getDescriptor().findFieldByName(field), value)
                .build();
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"TRY_AGAIN", "POOL_EXHAUSTED", "CLOUD_FAILED", "DEADLINE_EXCEEDED", "POD_GONE"})
    void aFailureIsAStatusWithCauseAndAdviceAndNeverAReplyWithoutSuccess(ErrorCode code) {
        engine.failWith(new IpamException(code, "vSwitch vsw-1 is full", "add a vSwitch"));

        StatusRuntimeException refusal = refusal(() -> plugin.add("web-0", "c1"));

        assertThat(refusal.getStatus().getDescription()).isEqualTo("vSwitch vsw-1 is full; add a vSwitch");
        assertThat(refusal.getStatus().getCode()).isNotIn(Status.Code.UNKNOWN, Status.Code.OK);
    }

    @Test
    void beforeTheEngineKnowsItsLeasesADelIsPutOffWithWords() throws IOException {
        FakeEngine unstarted = new FakeEngine(1);
        Path early = directory.resolve("early.socket");
        TerwayContext context = context();
        TerwayContext before = new TerwayContext(
                context.config(),
                unstarted,
                context.pods(),
                context.kernel(),
                context.node(),
                context.network(),
                context.events(),
                context.threads());
        try (TerwaySocket opened = TerwaySocket.open(early, ownUid(), before);
                FakeTerwayPlugin hasty = new FakeTerwayPlugin(early)) {
            assertThat(opened).isNotNull();
            assertThat(refusal(() -> hasty.del("web-0", "c1")))
                    .satisfies(
                            refusal -> assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE))
                    .hasMessageContaining("the daemon is starting");
        }
    }
}

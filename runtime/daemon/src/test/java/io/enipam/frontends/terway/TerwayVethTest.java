package io.enipam.frontends.terway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.enipam.config.ConfigLoader;
import io.enipam.config.DaemonConfig;
import io.enipam.config.KnownPlugins;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.kubernetes.cidr.HostLocalFileStore;
import io.enipam.kubernetes.cidr.NodeCidrFactory;
import io.enipam.node.kernel.HostNodeView;
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
import io.enipam.terway.rpc.IPType;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** DELs of terway's plugin over the real socket, with real links in namespaces of a node and its pods. */
class TerwayVethTest {
    private static final String MAC = "02:00:00:00:00:01";
    private static final String IP = "10.0.9.77";

    private final FakeEngine engine = new FakeEngine(20);
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);

    @TempDir
    Path directory;

    private NodeNamespace node;
    private TerwaySocket socket;
    private FakeTerwayPluginWithLinks plugin;

    @BeforeEach
    void open() throws Exception {
        assumeTrue(NodeNamespace.isPossible(), "network namespaces need root and ip");
        node = NodeNamespace.make();
        serve("cali");
        engine.start().join();
    }

    private void serve(String prefix) throws Exception {
        DaemonConfig config =
                ConfigLoader.load(List.of(), true, Map.of("terway.veth_prefix", prefix), KnownPlugins.none());
        engine.lendWith(Map.of(Resource.MAC, MAC, Resource.GATEWAY, "10.0.0.253"));
        Path path = directory.resolve(prefix + ".socket");
        socket = TerwaySocket.open(
                path,
                ((Number) Files.getAttribute(directory, "unix:uid")).intValue(),
                new TerwayContext(
                        () -> config,
                        engine,
                        SimulatedPods.open(directory.resolve("pods.json"), List.of(), List.of()),
                        new NodeDatapath(directory.resolve("simulated"), directory.resolve("callers"), ""),
                        new View(config, node),
                        new TerwayContext.ClusterNetwork(
                                () -> List.of("172.21.0.0/20"),
                                () -> Optional.of("10.7.0.0/24"),
                                new HostLocalFileStore(directory.resolve("networks")),
                                directory.resolve("sandboxes")),
                        (severity, type, subject, message, attributes) -> {},
                        threads));
        plugin = new FakeTerwayPluginWithLinks(path, node, prefix, directory.resolve("networks"));
    }

    @AfterEach
    void close() throws Exception {
        if (node != null) {
            plugin.close();
            socket.close();
            node.close();
        }
        threads.shutdownNow();
    }

    /** The node as the daemon sees it in production, but for the links' hardware addresses, which sysfs has of one namespace alone. */
    private record View(HostNodeView sights, NodeNamespace node) implements NodeView {
        View(DaemonConfig config, NodeNamespace node) {
            this(new HostNodeView(() -> config, Path.of("/proc/" + node.pid() + "/net")), node);
        }

        @Override
        public OptionalInt linkOf(String mac) throws IOException {
            return node.run("ip", "-o", "link").contains(mac) ? OptionalInt.of(3) : OptionalInt.empty();
        }

        @Override
        public boolean hasLink(String name) throws IOException {
            return sights.hasLink(name);
        }

        @Override
        public Map<String, String> hostRoutes() throws IOException {
            return sights.hostRoutes();
        }

        @Override
        public Optional<InetAddress> address(Family family) {
            return family == Family.IPV4 ? Optional.of(Address.literal("10.9.0.1")) : Optional.empty();
        }

        @Override
        public List<String> serviceCidrs() {
            return List.of();
        }
    }

    private void held(String container, ResourceKind kind, String address, int second) {
        engine.put(new Lease(
                new OwnerKey("enipam", container, "eth0"),
                PodRef.parse("default/web-0"),
                "uid",
                new Resource(
                        new ResourceId("r-" + container),
                        kind,
                        List.of(Address.parse(address + "/20")),
                        "",
                        Map.of(Resource.MAC, MAC, Resource.GATEWAY, "10.0.0.253")),
                Duration.ZERO,
                Instant.EPOCH.plusSeconds(second)));
    }

    private void held(String container, String address, int second) {
        held(container, ResourceKind.ENI_IP, address, second);
    }

    private List<String> lent() {
        return engine.leases().stream()
                .map(lease -> lease.owner().containerId())
                .toList();
    }

    private void inMode(String mode) {
        switch (mode) {
            case "VPC" -> engine.makeBy(NodeCidrFactory.NAME);
            case "ENIOnly" -> engine.makeBy("eni");
            default -> engine.makeBy("eni-ip");
        }
    }

    @Test
    void aPodThatTerwayConnectedBeforeTheChangeoverIsDisconnectedWithItsRouteAndRules() throws Exception {
        plugin.connect("web-0", "terways", IP);
        assertThat(node.state()).contains(IP).contains("cali");
        assertThat(plugin.info("web-0", "terways").getPodIP()).isEqualTo(IP);

        plugin.delete("web-0", "terways");
        plugin.delete("web-0", "terways");

        assertThat(node.state()).doesNotContain(IP).doesNotContain("cali");
    }

    @Test
    void aLinkWithoutARouteIsAnsweredWithAnAddressThatThePluginCanParse() throws Exception {
        plugin.connect("web-0", "terways", IP);
        node.run("ip", "route", "flush", "table", "main");

        assertThat(plugin.info("web-0", "terways").getPodIP()).isEqualTo("0.0.0.0");
        plugin.delete("web-0", "terways");

        assertThat(node.state()).doesNotContain(IP).doesNotContain("cali");
    }

    @Test
    void theLinksNamesBeginAsItIsSet() throws Exception {
        close();
        node = NodeNamespace.make();
        serve("eth");
        plugin.connect("web-0", "terways", IP);

        plugin.delete("web-0", "terways");

        assertThat(node.state()).doesNotContain(IP);
    }

    @Test
    void inModeVpcSuchAPodIsDisconnectedAndHostLocalGivesItsAddressBack() throws Exception {
        inMode("VPC");
        plugin.connect("web-0", "terways", "10.7.0.9");
        plugin.reserve("terways", "10.7.0.9");

        plugin.delete("web-0", "terways");
        plugin.delete("web-0", "terways");

        assertThat(node.state()).doesNotContain("10.7.0.9").doesNotContain("cali");
        assertThat(directory.resolve("networks/10.7.0.9")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ENIMultiIP", "ENIOnly", "VPC"})
    void aDelOfAPodThatWasNeverConnectedSucceedsInEveryMode(String mode) throws Exception {
        inMode(mode);
        node.pod("never");

        plugin.delete("web-0", "never");
        plugin.delete("web-0", "never");

        assertThat(plugin.info("web-0", "never")).satisfies(info -> {
            assertThat(info.getIPType()).isEqualTo(IPType.TypeENIMultiIP);
            assertThat(info.getPodIP()).isEmpty();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"eni-ip", "eni"})
    void aDelThatIsRepeatedSinceTheReleaseFailedGivesTheAddressBack(String kind) throws Exception {
        inMode(kind.equals("eni") ? "ENIOnly" : "ENIMultiIP");
        node.link("nic0", MAC);
        node.pod("c1");
        held("c1", new ResourceKind(kind), IP, 0);

        plugin.delete("web-0", "c1");

        assertThat(lent()).isEmpty();
    }

    @Test
    void aDelThatIsRepeatedAfterHostLocalFailedGivesTheFileBack() throws Exception {
        inMode("VPC");
        plugin.stub().allocIP(FakeTerwayPlugin.request("web-0", "c1").build());
        plugin.release("web-0", "c1");
        plugin.reserve("c1", "10.7.0.9");
        plugin.reserve("c2", "10.7.0.10");

        plugin.delete("web-0", "c1");

        assertThat(directory.resolve("networks/10.7.0.9")).doesNotExist();
        assertThat(directory.resolve("networks/10.7.0.10")).exists();
    }

    @Test
    void aDelWhileThePluginStillConnectsThePodTakesNoAddressFromIt() throws Exception {
        node.link("nic0", MAC);
        String address =
                plugin.add("web-0", "c1").getENIMultiIP().getEniConfig().getIPv4Addr();

        assertThatThrownBy(() -> plugin.delete("web-0", "c1")).hasMessageContaining("error found host side link");
        assertThat(lent()).containsExactly("c1");

        plugin.connect("web-0", "c1", address);
        plugin.delete("web-0", "c1");
        assertThat(lent()).isEmpty();
        assertThat(node.state()).doesNotContain(address);
    }

    @Test
    void aPodOnIpvlanHasNoVethAndKeepsItsAddressUntilThePluginDisconnectedIt() throws Exception {
        node.link("ipvl_3", MAC);
        node.run("ip", "route", "add", IP + "/32", "dev", "ipvl_3");
        held("c1", IP, 0);

        assertThat(plugin.info("web-0", "c1").getPodIP()).isEqualTo(IP);
        assertThat(lent()).containsExactly("c1");
    }

    @Test
    void aLateDelOfAReplacedSandboxLeavesTheNewerOnesLinkAndGivesTheFormerAddressBack() throws Exception {
        held("old", "10.0.9.76", 0);
        plugin.connect("web-0", "old", "10.0.9.76");
        held("new", IP, 60);
        plugin.connect("web-0", "new", IP);
        String connected = node.links();

        plugin.delete("web-0", "old");
        plugin.delete("web-0", "old");

        assertThat(node.links()).isEqualTo(connected);
        assertThat(lent()).containsExactly("new");
        plugin.delete("web-0", "new");
        assertThat(node.links()).doesNotContain("cali");
        assertThat(node.state()).doesNotContain(IP);
    }

    @Test
    void theNewerSandboxIsTheOneThatWasConnectedLastThoughTheClockWasSetBackInBetween() throws Exception {
        node.link("nic0", MAC);
        held("old", "10.0.9.76", 600);
        held("new", IP, 60);
        for (String container : List.of("old", "new")) {
            plugin.add("web-0", container);
            plugin.connect("web-0", container, container.equals("old") ? "10.0.9.76" : IP);
        }
        String connected = node.links();

        plugin.delete("web-0", "old");

        assertThat(node.links()).isEqualTo(connected);
        plugin.delete("web-0", "new");
        assertThat(node.links()).doesNotContain("cali");
        assertThat(node.state()).doesNotContain(IP);
        assertThat(lent()).isEmpty();
    }

    @Test
    void aLateDelOfTerwaysOwnSandboxLeavesTheLinkOfTheOneThatCameAfterTheChangeover() throws Exception {
        plugin.connect("web-0", "terways", "10.0.9.76");
        held("new", IP, 0);
        plugin.connect("web-0", "new", IP);
        String connected = node.links();

        plugin.delete("web-0", "terways");

        assertThat(node.links()).isEqualTo(connected);
        assertThat(lent()).containsExactly("new");
    }

    @Test
    void inModeVpcALateDelLeavesTheNewerOnesLinkAndGivesTheFormerOnesFileBack() throws Exception {
        inMode("VPC");
        for (String container : List.of("old", "new")) {
            String address = container.equals("old") ? "10.7.0.9" : "10.7.0.10";
            plugin.stub().allocIP(FakeTerwayPlugin.request("web-0", container).build());
            plugin.reserve(container, address);
            plugin.connect("web-0", container, address);
        }
        String connected = node.links();

        plugin.delete("web-0", "old");
        plugin.delete("web-0", "old");

        assertThat(node.links()).isEqualTo(connected);
        assertThat(directory.resolve("networks/10.7.0.9")).doesNotExist();
        assertThat(directory.resolve("networks/10.7.0.10")).exists();
        plugin.delete("web-0", "new");
        assertThat(node.links()).doesNotContain("cali");
        assertThat(directory.resolve("networks/10.7.0.10")).doesNotExist();
    }

    @Test
    void inModeEnionlyALateDelMovesTheFormerOnesNicOutAndLeavesTheNewerOnesLink() throws Exception {
        inMode("ENIOnly");
        node.pod("old");
        node.link("nic0", MAC);
        node.run("ip", "link", "set", "nic0", "name", "eth0", "netns", node.named("old"));
        held("old", new ResourceKind("eni"), "10.0.9.76", 0);
        held("new", IP, 60);
        plugin.connect("web-0", "new", IP);
        String connected = node.links();

        plugin.delete("web-0", "old");

        assertThat(connected).doesNotContain(MAC);
        assertThat(node.links()).contains(MAC).contains("cali");
        assertThat(lent()).containsExactly("new");
        plugin.delete("web-0", "old");
        assertThat(lent()).containsExactly("new");
    }
}

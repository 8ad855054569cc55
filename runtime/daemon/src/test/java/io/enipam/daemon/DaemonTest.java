package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.config.ConfigFile;
import io.enipam.config.ConfigLoader;
import io.enipam.config.DaemonConfig;
import io.enipam.config.KnownPlugins;
import io.enipam.daemon.testing.FakeSurroundings;
import io.enipam.daemon.testing.SocketClient;
import io.enipam.pluginhost.load.PluginCatalog;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.DeletePodRequest;
import io.enipam.v1.Event;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.WatchEventsReply;
import io.enipam.v1.WatchEventsRequest;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The daemon from start to end, over fakes of cloud, database and engine. */
class DaemonTest {
    private final FakeSurroundings world = new FakeSurroundings();
    private final List<Daemon> daemons = new ArrayList<>();

    @TempDir
    Path directory;

    @AfterEach
    void stop() {
        daemons.forEach(Daemon::close);
    }

    @Test
    void servesAndLeavesNoSocketBehind() {
        DaemonLayout layout = DaemonLayout.below(directory.resolve("root"));
        Daemon daemon = started(layout, false);

        try (SocketClient client = new SocketClient(layout.controlSocket())) {
            awaitReady(client);
            GetStatusReply status = status(client);
            assertThat(status.getRoot()).isEqualTo(layout.displayPath().toString());
            assertThat(status.getCloud()).isEqualTo("emulator");
            assertThat(status.getSandbox()).isFalse();
            assertThat(health(client)).isEqualTo(ServingStatus.SERVING);
            client.control()
                    .cniAdd(CniAddRequest.newBuilder().setPod("default/a").build());
        }
        daemon.close();

        assertThat(layout.controlSocket()).doesNotExist();
        assertThat(layout.auditLog()).content().contains("default/a");
    }

    @Test
    void closesInReverseOrderAndFollowersDoNotHoldItUp() {
        DaemonLayout layout = DaemonLayout.below(directory);
        Daemon daemon = started(layout, false);
        try (SocketClient client = new SocketClient(layout.controlSocket())) {
            awaitReady(client);
            var replies = client.inspect()
                    .watchEvents(WatchEventsRequest.newBuilder().setFollow(true).build());
            WatchEventsReply first = replies.next();
            assertThat(first.getEventsCount()).isPositive();

            daemon.close();

            while (replies.hasNext()) {
                assertThat(replies.next().getEventsCount()).isPositive();
            }
        }
        assertThat(world.closed).containsExactly("cloud", "db", "emulator");
    }

    @Test
    void aCloudThatDoesNotAnswerKeepsItRecoveringAndTheStatusSaysWhy() {
        world.cloudAnswers = false;
        DaemonLayout layout = DaemonLayout.below(directory);
        started(layout, false);

        try (SocketClient client = new SocketClient(layout.controlSocket())) {
            await().atMost(Duration.ofSeconds(120))
                    .until(() -> status(client).getDetail().contains("metadata is silent"));
            assertThat(status(client).getPhase()).isEqualTo("RECOVERING");
            assertThat(health(client)).isEqualTo(ServingStatus.NOT_SERVING);

            world.cloudAnswers = true;

            awaitReady(client);
            assertThat(status(client).getDetail()).isEmpty();
            // the node has room for 3 addresses, and the default upper watermark is 5
            assertThat(client.events())
                    .extracting(Event::getType)
                    .contains("CloudUnavailable", "CloudConnected", "ConfigAdjusted");
        }
    }

    @Test
    void aSecondDaemonOnTheSameRootRefusesAndTheFirstGoesOn() {
        DaemonLayout layout = DaemonLayout.below(directory);
        started(layout, false);

        assertThatThrownBy(() -> started(layout, false))
                .isInstanceOf(StartupException.class)
                .hasMessage(directory + " is in use by enipamd with pid "
                        + ProcessHandle.current().pid() + "; stop it, or choose another --root");
        try (SocketClient client = new SocketClient(layout.controlSocket())) {
            assertThat(status(client).getPid()).isPositive();
        }
    }

    @Test
    void theRootIsFreeAgainAfterTheEnd() {
        DaemonLayout layout = DaemonLayout.below(directory);
        started(layout, false).close();
        Daemon second = started(layout, false);

        try (SocketClient client = new SocketClient(layout.controlSocket())) {
            awaitReady(client);
        }
        second.close();
    }

    @Test
    void everyFileIsBelowTheRoot() throws IOException {
        Path root = directory.resolve("root");
        started(DaemonLayout.below(root), false);

        try (Stream<Path> files = Files.walk(directory)) {
            assertThat(files.filter(Files::isRegularFile)).isNotEmpty().allMatch(f -> f.startsWith(root));
        }
        try (Stream<Path> entries = Files.list(root)) {
            assertThat(entries.map(e -> e.getFileName().toString())).containsExactlyInAnyOrder("lib", "run", "cloud");
        }
    }

    @Test
    void anEphemeralRootGoesWithItsDaemon() throws IOException {
        Path root = Files.createDirectory(directory.resolve("scratch"));
        DaemonLayout layout = DaemonLayout.below(root);
        Daemon daemon = started(layout, true);
        try (SocketClient client = new SocketClient(layout.controlSocket())) {
            assertThat(status(client).getSandbox()).isTrue();
        }

        daemon.close();

        assertThat(root).doesNotExist();
    }

    @Test
    void anEphemeralDaemonThatIsRefusedLeavesTheLivingOnesDirectoryAlone() {
        DaemonLayout layout = DaemonLayout.below(directory.resolve("scratch"));
        started(layout, true);

        assertThatThrownBy(() -> started(layout, true)).hasMessageContaining("is in use by enipamd");

        try (SocketClient client = new SocketClient(layout.controlSocket())) {
            assertThat(status(client).getPid()).isPositive();
        }
    }

    @Test
    void aUsersDirectoryIsNeverDeleted() throws IOException {
        Path precious = Files.writeString(directory.resolve("thesis.txt"), "chapter 1");
        Daemon daemon = started(DaemonLayout.below(directory), true);
        daemon.close();

        assertThat(precious).hasContent("chapter 1");
    }

    @Test
    void linksOutOfAnEphemeralRootAreNotFollowed() throws IOException {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Path precious = Files.writeString(outside.resolve("thesis.txt"), "chapter 1");
        Path root = directory.resolve("scratch");
        Daemon daemon = started(DaemonLayout.below(root), true);
        Files.createSymbolicLink(root.resolve("link"), outside);
        daemon.close();

        assertThat(root).doesNotExist();
        assertThat(precious).hasContent("chapter 1");
    }

    @Test
    void aRootThatCannotBeMadeIsOneClearLine() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "x");

        assertThatThrownBy(() -> started(DaemonLayout.below(file.resolve("root")), false))
                .isInstanceOf(StartupException.class)
                .hasMessageContaining("cannot be made")
                .hasMessageContaining("choose another --root");
    }

    @Test
    void anEmulatorThatDoesNotStartEndsTheDaemonAndLeavesTheRootFree() {
        world.emulatorStarts = false;
        DaemonLayout layout = DaemonLayout.below(directory);

        assertThatThrownBy(() -> started(layout, false))
                .isInstanceOf(StartupException.class)
                .hasMessageContaining("no port is free");
        assertThat(layout.controlSocket()).doesNotExist();
        world.emulatorStarts = true;
        started(layout, false).close();
    }

    @Test
    void aDatabaseThatCannotBeOpenedIsOneLineWithWhatToDo() {
        world.dbOpens = false;

        assertThatThrownBy(() -> started(DaemonLayout.below(directory), false))
                .isInstanceOf(StartupException.class)
                .hasMessage("the journal is damaged; restore a backup");
        assertThat(world.closed).contains("emulator").doesNotContain("db");
    }

    @Test
    void aFileThatCannotBeWrittenIsNamed() throws IOException {
        DaemonLayout layout = DaemonLayout.below(directory);
        Files.createDirectories(layout.auditLog());

        assertThatThrownBy(() -> started(layout, false))
                .isInstanceOf(StartupException.class)
                .hasMessageContaining("audit.log: Is a directory");
    }

    @Test
    void aKubeconfigWhoseClientKeyCannotBeReadIsNamedAndSaidToBeNoKey() throws IOException {
        Path kubeconfig = Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: k
                contexts: [{name: k, context: {cluster: c, user: u}}]
                clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]
                users: [{name: u, user: {client-certificate: u.crt, client-key: u.key}}]
                """);
        Files.writeString(directory.resolve("u.crt"), "no certificate");
        Files.writeString(directory.resolve("u.key"), "no key");
        Path yaml = Files.writeString(
                directory.resolve("enipam.yaml"), "kubernetes: {use: 'on', kubeconfig: " + kubeconfig + "}\n");
        DaemonConfig config = ConfigLoader.load(List.of(ConfigFile.named(yaml)), true, Map.of(), KnownPlugins.none());
        Daemon daemon = new Daemon(
                DaemonLayout.below(directory.resolve("root")),
                config,
                false,
                world,
                FakeSurroundings.assembly(),
                PluginCatalog.empty());
        daemons.add(daemon);

        assertThatThrownBy(daemon::start)
                .isInstanceOf(StartupException.class)
                .hasMessageContaining("u.key] cannot be used: the client certificate")
                .hasMessageNotContaining("the log has the details");
    }

    @Test
    void aSocketPathThatIsTooLongIsRefusedWithTheLimit() {
        DaemonLayout layout = DaemonLayout.below(directory.resolve("x".repeat(100)));

        assertThatThrownBy(() -> started(layout, false))
                .isInstanceOf(StartupException.class)
                .hasMessageContaining("107");
    }

    @Test
    void outsideASandboxPodsAreBelievedAndTheStartWarnsOfIt() throws IOException {
        DaemonLayout layout = DaemonLayout.below(directory);
        Path keys =
                Files.writeString(directory.resolve("keys.json"), "{\"access_key\": \"AK\", \"access_secret\": \"S\"}");
        // so that it serves without root, too
        Path yaml = Files.writeString(directory.resolve("enipam.yaml"), "datapath: {use: 'off'}\n");
        DaemonConfig config = ConfigLoader.load(
                List.of(ConfigFile.named(keys), ConfigFile.named(yaml)), false, Map.of(), KnownPlugins.none());
        Daemon daemon = new Daemon(layout, config, false, world, FakeSurroundings.assembly(), PluginCatalog.empty());
        daemons.add(daemon);
        daemon.start();

        try (SocketClient client = new SocketClient(layout.controlSocket())) {
            awaitReady(client);
            assertThat(client.events()).extracting(Event::getType).contains("PodsTrusted");
            assertThat(status(client).getCloud()).isEqualTo("aliyun");
            DeletePodRequest delete =
                    DeletePodRequest.newBuilder().setPod("default/a").build();
            assertThatThrownBy(() -> client.control().deletePod(delete)).hasMessageContaining("sandbox only");
        }
    }

    private Daemon started(DaemonLayout layout, boolean ephemeral) {
        Daemon daemon = new Daemon(
                layout,
                ConfigLoader.load(List.of(), true, Map.of(), KnownPlugins.none()),
                ephemeral,
                world,
                FakeSurroundings.assembly(),
                PluginCatalog.empty());
        daemons.add(daemon);
        daemon.start();
        return daemon;
    }

    private static void awaitReady(SocketClient client) {
        await().atMost(Duration.ofSeconds(120))
                .until(() -> status(client).getPhase().equals("READY") && health(client) == ServingStatus.SERVING);
    }

    private static GetStatusReply status(SocketClient client) {
        return client.status();
    }

    private static ServingStatus health(SocketClient client) {
        return HealthGrpc.newBlockingStub(client.channel())
                .check(HealthCheckRequest.getDefaultInstance())
                .getStatus();
    }
}

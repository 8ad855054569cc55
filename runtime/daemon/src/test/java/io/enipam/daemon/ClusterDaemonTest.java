package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.enipam.daemon.testing.DaemonProgram;
import io.enipam.daemon.testing.SocketClient;
import io.enipam.etcd.testing.EtcdServer;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.v1.CloudCall;
import io.enipam.v1.CommandArgument;
import io.enipam.v1.DoctorFinding;
import io.enipam.v1.GetPluginRequest;
import io.enipam.v1.GetPoolRequest;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.ListCloudCallsReply;
import io.enipam.v1.ListCloudCallsRequest;
import io.enipam.v1.ListCommandsRequest;
import io.enipam.v1.PluginExtension;
import io.enipam.v1.RunCommandRequest;
import io.enipam.v1.RunDoctorRequest;
import io.enipam.v1.VerifyDbRequest;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The daemon of role CLUSTER as a process of its own: what it serves, what it keeps, and which of two replicas leads. */
@Execution(ExecutionMode.CONCURRENT)
class ClusterDaemonTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    /** A table behind two commands, on hosts of role CLUSTER; and an extension that is for nodes alone. */
    private static final String PLUGIN = """
            static final Table<String> NOTES = new Table<>("notes", 1, Codec.text());
            static final Setting<String> TEXT = Setting.text("text", "a word", "[a-z]+", "");

            public List<Extension> extensions() {
                return List.of(
                        new Extension() {
                            public String name() { return "notes"; }
                            public Set<Role> roles() { return Set.of(Role.CLUSTER); }
                            public Part open(Host host) {
                                host.journal().open(NOTES);
                                return new Part() {
                                    public List<Command> commands() {
                                        return List.of(
                                                Command.of(CommandSpec.change("Notes a word.", "notes", "add").operand(TEXT), call -> {
                                                    host.journal().update(tx -> tx.put(NOTES, call.arguments().get(TEXT), "1"))
                                                            .toCompletableFuture().join();
                                                    return Answer.text("noted");
                                                }),
                                                // a change: the first call of the cloud loads classes, for which a read has too little time
                                                Command.of(CommandSpec.change("Asks the cloud.", "notes", "ask"), call -> {
                                                    var cloud = host.service(io.enipam.sdk.cloud.Cloud.class).orElseThrow();
                                                    return Answer.text(cloud.routes("vtb-none").toCompletableFuture().join()
                                                            + "\\n" + cloud.instance().toCompletableFuture().join());
                                                }),
                                                Command.of(CommandSpec.read("What was noted.", "notes", "show"), call -> Answer.text(
                                                        host.journal().read(tx -> tx.scan(NOTES, "").map(Row::key)
                                                                .collect(java.util.stream.Collectors.joining(" "))))));
                                    }
                                };
                            }
                        },
                        new Extension() {
                            public String name() { return "nodes-only"; }
                            public Part open(Host host) { return new Part() { }; }
                        });
            }
            """;

    @TempDir
    Path directory;

    private final List<Process> processes = new ArrayList<>();
    private Path plugins;

    @BeforeEach
    void write() throws IOException {
        plugins = Files.createDirectory(directory.resolve("plugins"));
        PluginJar.of("notes").plugin(PLUGIN).write(plugins);
    }

    @AfterEach
    void kill() {
        processes.forEach(Process::destroyForcibly);
    }

    // ---- one replica

    @Test
    void itServesPluginsWithoutAPoolAndKeepsTheirTablesOverARestartAndAKill() throws Exception {
        Path root = directory.resolve("one");
        Process first = serving(root, "extensions: [notes, nodes-only]\n");
        try (SocketClient client = client(root)) {
            GetStatusReply status = status(client);
            assertThat(status.getRole()).isEqualTo("cluster");
            assertThat(status.getPhase()).isEqualTo("READY");
            assertThat(status.getLeads()).isTrue();
            assertThat(status.hasPool()).isFalse();
            assertThat(status.getCloud()).isEmpty();
            assertThatThrownBy(() -> client.inspect().getPool(GetPoolRequest.getDefaultInstance()))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            refused -> assertThat(
                                            GrpcFailures.trailersOf(refused).get(GrpcFailures.DETAIL))
                                    .satisfies(detail -> {
                                        assertThat(detail.getCode()).isEqualTo("NOT_FOUND");
                                        assertThat(detail.getMessage())
                                                .startsWith("this daemon has role cluster: it has no pool");
                                    }));
            awaitExtension(client, "notes", "RUNNING");
            PluginExtension ofNodes = awaitExtension(client, "nodes-only", "FAILED");
            assertThat(ofNodes.getCause()).contains("it runs on hosts of role [NODE], and this one has role CLUSTER");
            List<DoctorFinding> findings = client.inspect()
                    .runDoctor(RunDoctorRequest.getDefaultInstance())
                    .getFindingsList();
            assertThat(findings).anySatisfy(finding -> {
                assertThat(finding.getCheck()).isEqualTo("plugin-failed");
                assertThat(finding.getSeverity()).isEqualTo("WARN");
            });
            assertThat(findings).anySatisfy(finding -> {
                assertThat(finding.getCheck()).isEqualTo("address-leaked");
                assertThat(finding.getSummary()).contains("this daemon has role cluster");
            });
            note(client, "kept");
        }
        first.destroy();
        assertThat(first.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(first.exitValue()).isZero();

        Process second = serving(root, "extensions: [notes]\n");
        try (SocketClient client = client(root)) {
            awaitExtension(client, "notes", "RUNNING");
            assertThat(notes(client)).isEqualTo("kept");
            note(client, "killed");
        }
        second.destroyForcibly().waitFor();

        serving(root, "extensions: [notes]\n");
        try (SocketClient client = client(root)) {
            awaitExtension(client, "notes", "RUNNING");
            assertThat(notes(client)).isEqualTo("kept killed");
            assertThat(client.inspect()
                            .verifyDb(VerifyDbRequest.getDefaultInstance())
                            .getProblemsList())
                    .isEmpty();
        }
    }

    @Test
    void pluginsHaveTheCloudsRoutesAndTheirCallsAreInspectedAndCounted() throws Exception {
        Path root = directory.resolve("one");
        serving(root, "extensions: [notes]\nemulator: {latency: none}\n");
        try (SocketClient client = client(root)) {
            awaitExtension(client, "notes", "RUNNING");
            String said = client.control()
                    .changeByCommand(RunCommandRequest.newBuilder()
                            .addAllPath(List.of("notes", "ask"))
                            .build())
                    .getText();
            assertThat(said.lines())
                    .satisfiesExactly(
                            routes -> assertThat(routes).contains("InvalidRouteTableId.NotFound"),
                            instance -> assertThat(instance).contains("this host has role CLUSTER: it is no node"));
            assertThat(client.inspect().listCloudCalls(ListCloudCallsRequest.getDefaultInstance()))
                    .toIterable()
                    .flatExtracting(ListCloudCallsReply::getCallsList)
                    .extracting(CloudCall::getApi)
                    .contains("DescribeRouteEntryList");
        }
    }

    @Test
    void settingsOfANodeAreErrorsThatSaySoAndSoAreMistakesInThoseOfEtcd() throws Exception {
        assertThat(refused("pool: {min_idle: 2}\ndaemon: {mode: VPC}\n"))
                .contains(
                        "pool.min_idle: is no setting of a daemon of role cluster, which has no pool, no pods and no ENIs; remove it")
                .contains("daemon.mode: is no setting of a daemon of role cluster");
        assertThat(refused("cluster: {leader: etcd}\n"))
                .contains("cluster.leader: 'etcd' needs cluster.etcd.endpoints");
        assertThat(refused("cluster: {etcd: {endpoints: ['http://a:2379'], ca: /ca.pem}}\n"))
                .contains("cluster.etcd: tls: has no meaning with an endpoint of http; use https");
        assertThat(refused("cluster: {etcd: {endpoints: ['http://root:secret@a:2379']}}\n"))
                .contains("is not of the form https://HOST:PORT")
                .doesNotContain("secret");
        assertThat(refused("cluster: {etcd: {endpoints: ['https://a:2379'], user: enipam, password_file: /none}}\n"))
                .contains("cluster.etcd.password_file: /none cannot be read");
        assertThat(refused("daemon: {role: node}\n")).contains("daemon.role");
    }

    /** What {@code --check-config} says of a file that it refuses. */
    private String refused(String yaml) throws Exception {
        Path config = Files.writeString(directory.resolve("wrong.yaml"), yaml);
        Path log = directory.resolve("wrong.log");
        Process check = new ProcessBuilder(DaemonProgram.command(
                        DaemonMain.class,
                        directory.resolve("none"),
                        "--role",
                        "cluster",
                        "--check-config",
                        "--config",
                        config.toString()))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        processes.add(check);
        assertThat(check.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(check.exitValue()).as(Files.readString(log)).isEqualTo(2);
        return Files.readString(log);
    }

    @Test
    void anEtcdThatDoesNotAnswerEndsTheStartWithTheReason() throws Exception {
        Path root = directory.resolve("one");
        Process daemon = start(
                root,
                "cluster: {etcd: {endpoints: ['http://127.0.0.1:" + EtcdServer.freePort() + "'], patience: 1s}}\n");
        assertThat(daemon.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(daemon.exitValue()).isEqualTo(1);
        assertThat(log(daemon))
                .content()
                .contains("enipamd: etcd at http://127.0.0.1:")
                .contains("; check that ");
    }

    @Test
    void theDaemonOfANodeLoadsNoClassOfEtcd() throws Exception {
        Path classes = directory.resolve("classes");
        Path log = directory.resolve("node.log");
        ProcessBuilder node = new ProcessBuilder(DaemonProgram.command(DaemonMain.class, directory.resolve("node")))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        node.environment().put("JAVA_TOOL_OPTIONS", "-Xlog:class+load:file=" + classes);
        processes.add(node.start());
        await().atMost(PATIENCE).until(() -> Files.readString(log).contains("serving on"));
        assertThat(classes)
                .content()
                .contains("io.enipam.daemon.NodeModule")
                .doesNotContain("io.enipam.etcd.", "io.etcd.");
    }

    // ---- two replicas on one etcd

    @Test
    void ofTwoReplicasOneLeadsAndTheOtherOneDoesWhenThatIsStoppedOrKilled() throws Exception {
        assumeTrue(EtcdServer.program().isPresent(), "there is no etcd here (Debian: etcd-server)");
        Path one = directory.resolve("one");
        Path two = directory.resolve("two");
        try (EtcdServer etcd = EtcdServer.started(directory)) {
            String shared = "extensions: [notes]\ncluster: {etcd: {endpoints: ['" + etcd.endpoint() + "']}}\n";
            Process first = serving(one, shared + "node: {name: one}\n");
            try (SocketClient atOne = client(one)) {
                await().atMost(PATIENCE).until(() -> status(atOne).getLeads());
                serving(two, shared + "node: {name: two}\n");
                try (SocketClient atTwo = client(two)) {
                    await().atMost(PATIENCE)
                            .until(() -> status(atTwo).getLeader().equals("one"));
                    assertThat(status(atTwo).getLeads()).isFalse();
                    awaitExtension(atOne, "notes", "RUNNING");
                    awaitExtension(atTwo, "notes", "RUNNING");
                    note(atTwo, "shared");
                    assertThat(notes(atOne)).isEqualTo("shared");

                    signal("-STOP", first);
                    await().atMost(PATIENCE).until(() -> status(atTwo).getLeads());
                    signal("-CONT", first);
                    assertThat(status(atOne).getLeads()).isFalse();
                    await().atMost(PATIENCE)
                            .until(() -> status(atOne).getLeader().equals("two"));

                    processes.get(1).destroyForcibly().waitFor();
                    await().atMost(PATIENCE).until(() -> status(atOne).getLeads());
                    assertThat(notes(atOne)).isEqualTo("shared");
                }
            }
        }
    }

    private static void signal(String name, Process process) throws Exception {
        Process kill = new ProcessBuilder("kill", name, Long.toString(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    // ---- a daemon

    private Process serving(Path root, String yaml) throws IOException {
        Process daemon = start(root, yaml);
        Path log = log(daemon);
        await().atMost(PATIENCE).until(() -> Files.readString(log).contains("serving on"));
        return daemon;
    }

    private Process start(Path root, String yaml) throws IOException {
        Path etc = Files.createDirectories(root.resolve("etc/enipam"));
        Files.writeString(etc.resolve("cluster.yaml"), yaml);
        Path log = directory.resolve("log-" + processes.size());
        Process daemon = new ProcessBuilder(DaemonProgram.command(
                        DaemonMain.class, root, "--role", "cluster", "--plugin", plugins.toString()))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        processes.add(daemon);
        return daemon;
    }

    private Path log(Process process) {
        return directory.resolve("log-" + processes.indexOf(process));
    }

    private static SocketClient client(Path root) {
        return new SocketClient(root.resolve("run/enipam.sock"));
    }

    private static GetStatusReply status(SocketClient client) {
        return client.status();
    }

    private static PluginExtension awaitExtension(SocketClient client, String name, String state) {
        if (state.equals("RUNNING")) {
            // it is asked for its commands a moment after it runs
            await().atMost(PATIENCE)
                    .until(() -> client.inspect()
                                    .listCommands(ListCommandsRequest.getDefaultInstance())
                                    .getCommandsCount()
                            > 0);
        }
        return await().atMost(PATIENCE)
                .until(
                        () -> client
                                .inspect()
                                .getPlugin(GetPluginRequest.newBuilder()
                                        .setId("notes")
                                        .build())
                                .getPlugin()
                                .getExtensionsList()
                                .stream()
                                .filter(extension -> extension.getName().equals(name))
                                .findFirst()
                                .orElseThrow(),
                        extension -> extension.getState().equals(state));
    }

    private static void note(SocketClient client, String text) {
        client.control()
                .changeByCommand(RunCommandRequest.newBuilder()
                        .addAllPath(List.of("notes", "add"))
                        .addArguments(
                                CommandArgument.newBuilder().setName("text").addValues(text))
                        .build());
    }

    private static String notes(SocketClient client) {
        return client.inspect()
                .runCommand(RunCommandRequest.newBuilder()
                        .addAllPath(List.of("notes", "show"))
                        .build())
                .getText();
    }
}

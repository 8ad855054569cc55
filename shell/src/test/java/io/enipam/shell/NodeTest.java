package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.ShellProgram.Terminals;
import io.enipam.shell.attach.DaemonConnection;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.PrivateDirectory;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.fleet.Cluster;
import io.enipam.shell.fleet.Cluster.ClusterTarget;
import io.enipam.shell.fleet.NodeRoute;
import io.enipam.v1.ErrorDetail;
import io.enipam.v1.GetEniRequest;
import io.enipam.v1.GetStatusRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code --node}: the daemon of another node, by an exec into its pod. */
@Timeout(120)
class NodeTest extends ClusterShell {
    private void isOneLine(TestShell.Result result, int status, String line) {
        assertThat(result.err()).isEqualTo("enipam: " + line + "\n");
        assertThat(result.status()).isEqualTo(status);
        assertThat(result.out()).isEmpty();
        assertThat(scratch).isEmptyDirectory();
    }

    private static boolean isFleet(String name) {
        return name.contains("io.fabric8.") || name.contains("org.slf4j.") || name.contains("io.enipam.shell.fleet.");
    }

    @Test
    void aCommandThereAnswersAsOneHereAndLeavesNothingBehind() throws IOException {
        node("cn-1");

        TestShell.Result there = run("--node", "cn-1", "status");

        TestShell.Result here = shell().at(socket("cn-1"), "status");
        assertThat(there).isEqualTo(here);
        assertThat(there.status()).isZero();
        assertThat(cluster.requests()).containsExactly("list pods", "exec enipam-cn-1");
        assertThat(scratch).isEmptyDirectory();
    }

    @Test
    void aListOfManyPartsAndAnErrorOfTheDaemonComeThroughAsTheyAre() throws IOException {
        FakeDaemon there = node("cn-1");

        assertThat(run("--node", "cn-1", "-o", "json", "pool", "idle"))
                .isEqualTo(shell().at(socket("cn-1"), "-o", "json", "pool", "idle"));
        there.refuse(
                GetEniRequest.class,
                ErrorDetail.newBuilder()
                        .setCode("NOT_FOUND")
                        .setMessage("there is no ENI eni-9")
                        .build());
        TestShell.Result refused = run("--node", "cn-1", "eni", "show", "eni-9");
        assertThat(refused).isEqualTo(shell().at(socket("cn-1"), "eni", "show", "eni-9"));
        assertThat(refused.status()).isEqualTo(1);
    }

    @Test
    void aTypingErrorAsksNeitherClusterNorDaemon() throws IOException {
        node("cn-1");

        assertThat(run("--node", "cn-1", "statuss").status()).isEqualTo(2);
        assertThat(cluster.requests()).isEmpty();
    }

    @Test
    void whileAPodIsReplacedTheOneThatRunsIsTakenAndTheReadyBeforeTheOther() throws IOException {
        node("cn-1");
        cluster.clear();
        cluster.pod("enipam-a", "cn-1", "2026-11-21T01:00:00Z", "ContainerCreating", relay("none"))
                .pod("enipam-b", "cn-1", "2026-11-21T00:00:00Z", "leaving", relay("none"))
                .pod("enipam-c", "cn-1", "2026-11-21T00:30:00Z", "unready", relay("none"))
                .pod("enipam-d", "cn-1", "2026-11-21T00:20:00Z", "running", relay("cn-1"));

        assertThat(run("--node", "cn-1", "status").status()).isZero();
        assertThat(cluster.requests()).endsWith("exec enipam-d");
    }

    @Test
    void aDaemonThatIsNotReadyCanStillBeLookedAt() throws IOException {
        daemon("cn-1");
        cluster.pod("enipam-a", "cn-1", "2026-11-21T01:00:00Z", "unready", relay("cn-1"));

        assertThat(run("--node", "cn-1", "status").status()).isZero();
    }

    @Test
    void afterThePodWasReplacedTheNextCallFindsTheNewOne() throws IOException {
        FakeDaemon old = node("cn-1");
        ClusterTarget place = new ClusterTarget(
                Optional.of(directory.resolve("kubeconfig")),
                Optional.empty(),
                ClusterTarget.NAMESPACE,
                ClusterTarget.SELECTOR,
                List.of("enipam", "relay"));
        try (Cluster open = Cluster.open(place, Map.of());
                PrivateDirectory sockets = PrivateDirectory.make(scratch, "private");
                NodeRoute route = new NodeRoute(open, sockets, "cn-1", "alice@host", Optional.empty());
                DaemonConnection connection = DaemonConnection.open(route)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(route.socket())))
                    .isEqualTo("rw-------");
            assertThat(PosixFilePermissions.toString(
                            Files.getPosixFilePermissions(route.socket().getParent())))
                    .isEqualTo("rwx------");
            status(connection);
            daemon("cn-2");
            cluster.remove("enipam-cn-1");
            cluster.pod("enipam-new", "cn-1", "2026-11-21T02:00:00Z", "running", relay("cn-2"));
            old.close();

            org.awaitility.Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
                try {
                    status(connection);
                    return true;
                } catch (ShellException e) {
                    assertThat(e.exit()).isEqualTo(ExitStatus.NOT_ATTACHED);
                    return false;
                }
            });
            assertThat(cluster.requests()).contains("exec enipam-new");
        }
        assertThat(scratch).isEmptyDirectory();
    }

    private static void status(DaemonConnection connection) {
        connection.inspect(Duration.ofSeconds(20), stub -> stub.getStatus(GetStatusRequest.getDefaultInstance()));
    }

    @Test
    void aNodeThatDoesNotExist() {
        isOneLine(
                run("--node", "cn-9", "status"),
                3,
                "attach failed: there is no node 'cn-9' in this cluster (NO_NODE)."
                        + " See kubectl get nodes; another cluster has another --context");
    }

    @Test
    void aNodeWithoutADaemon() {
        cluster.node("cn-9", Map.of());

        isOneLine(
                run("--node", "cn-9", "status"),
                3,
                "attach failed: there is no daemon's pod on node cn-9, in namespace kube-system with labels"
                        + " app.kubernetes.io/name=enipam,app.kubernetes.io/component=daemon (NO_DAEMON). Does the"
                        + " DaemonSet tolerate the node's taints? Elsewhere, say --daemon-namespace and"
                        + " --daemon-selector");
    }

    @Test
    void aPodThatDoesNotRunIsToldWithItsReason() {
        cluster.pod("enipam-a", "cn-1", "2026-11-21T01:00:00Z", "CrashLoopBackOff", relay("none"));

        isOneLine(
                run("--node", "cn-1", "status"),
                3,
                "attach failed: the daemon's pod kube-system/enipam-a on node cn-1 does not run: CrashLoopBackOff:"
                        + " back-off 5m0s restarting (POD_NOT_RUNNING). Look at it: kubectl -n kube-system describe"
                        + " pod enipam-a");
    }

    @Test
    void whoeverMayNotExecHearsWhichVerbsHeLacks() throws IOException {
        node("cn-1");
        cluster.refuse((verb, object) -> verb.equals("exec") ? 403 : 0);

        isOneLine(
                run("--node", "cn-1", "status"),
                3,
                "status failed: the API server does not let you run the relay in pod kube-system/enipam-cn-1 on node"
                        + " cn-1 (FORBIDDEN). Ask for a role with the verbs create and get on pods/exec in namespace"
                        + " kube-system");
    }

    @Test
    void whoeverMayNotListPodsHearsThat() throws IOException {
        node("cn-1");
        cluster.refuse((verb, object) -> object.equals("pods") ? 403 : 0);

        isOneLine(
                run("--node", "cn-1", "status"),
                3,
                "attach failed: the API server does not let you list pods in namespace kube-system: User \"alice\""
                        + " cannot list pods (FORBIDDEN). Ask for a role with the verb list on it");
    }

    @Test
    void credentialsThatAreNotAccepted() throws IOException {
        node("cn-1");

        isOneLine(
                run("--context", "stranger", "--node", "cn-1", "status"),
                3,
                "attach failed: the API server http://127.0.0.1:" + cluster.port()
                        + "/ does not accept these credentials (UNAUTHORIZED). Log in again, or name another way with"
                        + " --kubeconfig FILE or --context NAME");
    }

    @Test
    void anApiServerThatIsNotThere() {
        isOneLine(
                run("--context", "elsewhere", "--node", "cn-1", "status"),
                3,
                "attach failed: the API server http://127.0.0.1:1/ cannot be reached: connection refused"
                        + " (API_SERVER). Is the network there, and is it the right cluster? See --kubeconfig and"
                        + " --context");
    }

    @Test
    void aContextThatIsNotKnown() {
        isOneLine(
                run("--context", "fleett", "--node", "cn-1", "status"),
                2,
                "attach failed: " + directory.resolve("kubeconfig")
                        + " has no context 'fleett' (KUBECONFIG). Did you mean 'fleet'? It has elsewhere, fleet,"
                        + " stranger");
    }

    @Test
    void noKubeconfigAtAll() {
        TestShell.Result result = shell().run("--node", "cn-1", "status");

        isOneLine(
                result,
                2,
                "attach failed: there is no kubeconfig: neither --kubeconfig nor KUBECONFIG names one, and there is no"
                        + " ~/.kube/config (KUBECONFIG). Name one with --kubeconfig FILE");
    }

    @Test
    void kubeconfigVariableAndHomeAreReadAsKubectlDoes() throws IOException {
        node("cn-1");
        Path home = Files.createDirectories(directory.resolve("home/.kube"));
        Files.copy(directory.resolve("kubeconfig"), home.resolve("config"));

        assertThat(shell().on(
                                new Terminals(false, false, false),
                                Map.of("HOME", directory.resolve("home").toString()))
                        .run("--node", "cn-1", "status")
                        .status())
                .isZero();
        assertThat(shell().on(
                                new Terminals(false, false, false),
                                Map.of("KUBECONFIG", "/nowhere:" + home.resolve("config")))
                        .run("--node", "cn-1", "status")
                        .status())
                .isZero();
    }

    @Test
    void aKubeconfigThatCannotBeReadTellsNoSecret() throws IOException {
        Files.writeString(
                directory.resolve("kubeconfig"), "apiVersion: v1\nusers:\n- {token: s3cr3t-of-alice, user: ]\n");

        TestShell.Result result = run("--node", "cn-1", "status");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err())
                .contains("is no kubeconfig: line ", "cannot be understood")
                .doesNotContain("s3cr3t")
                .hasLineCount(1);
    }

    @Test
    void aTokenMayBeInAFileOfItsOwn() throws IOException {
        node("cn-1");
        Path kubeconfig = directory.resolve("kubeconfig");
        String inline = Files.readString(kubeconfig);
        Files.writeString(kubeconfig, inline.replace("token: t0ken-of-alice", "tokenFile: alice.token"));
        Files.writeString(directory.resolve("alice.token"), "t0ken-of-alice\n");

        assertThat(run("--node", "cn-1", "status").status()).isZero();
    }

    @Test
    void aDaemonThatIsGoneFromItsPodIsToldInTheWordsOfTheRelay() throws IOException {
        node("cn-1").close();

        TestShell.Result result = run("--node", "cn-1", "status");

        assertThat(result.status()).isEqualTo(3);
        assertThat(result.err())
                .startsWith("enipam: status failed: node cn-1: ")
                .containsAnyOf("there is no socket " + socket("cn-1"), "nobody listens on " + socket("cn-1"))
                .hasLineCount(1);
    }

    @Test
    void anImageWithoutTheRelayIsToldWithTheOptionForIt() throws IOException {
        node("cn-1");

        isOneLine(
                run("--relay", "socat -", "--node", "cn-1", "status"),
                3,
                "status failed: container enipamd of pod kube-system/enipam-cn-1 has no such command: exec: \"socat\":"
                        + " executable file not found in $PATH (NO_RELAY). Name the relay in its image with --relay"
                        + " 'PATH relay'");
    }

    @Test
    void whatIsForAClusterNeedsOne() {
        assertThat(run("status").err()).contains("--kubeconfig is for a daemon of a cluster. Add --node NAME");
        assertThat(run("--node", "a", "--parallel", "4", "status").err())
                .contains("--parallel is for many nodes. Add --all-nodes");
        assertThat(run("--node", "a", "--sandbox", "status").err()).contains("--node", "--sandbox", "mutually");
    }

    @Test
    void aShellThatAsksNoClusterLoadsNothingOfItsClient() throws Exception {
        daemon("here");
        List<String> loaded = new ArrayList<>();
        for (List<String> arguments :
                List.of(List.of("--version"), List.of("--socket", socket("here").toString(), "status"))) {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin/java").toString(),
                    "-Xshare:auto",
                    "-Xlog:class+load",
                    "-cp",
                    System.getProperty("java.class.path"),
                    "io.enipam.shell.ShellMain"));
            command.addAll(arguments);
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(said).isZero();
            assertThat(said).doesNotContain("SLF4J");
            loaded.addAll(said.lines().toList());
        }
        assertThat(loaded).anyMatch(line -> line.contains("io.enipam.shell.ShellProgram"));
        assertThat(loaded.stream().filter(NodeTest::isFleet)).isEmpty();
    }
}

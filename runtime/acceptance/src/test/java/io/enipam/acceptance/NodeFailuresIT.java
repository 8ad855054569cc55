package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.enipam.acceptance.CniProgram.Answer;
import io.enipam.acceptance.FakeContainerRuntime.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** What happens to nodes, and what their pods notice of it: the programs as they ship, and the kernel of this machine. */
class NodeFailuresIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration SETTLING = Duration.ofSeconds(60);
    private static final List<String> PODS = List.of("web-0", "web-1", "web-2");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    static Path scratch;

    @AutoClose
    private static VpcNodes vpc;

    private static NetworkNode node;
    private static FakeContainerRuntime runtime;

    @BeforeAll
    static void start() throws Exception {
        vpc = VpcNodes.start(scratch, "trouble", "--instances=2", "--instance-type=ecs.g7.4xlarge");
        node = vpc.node(0, "pool: {min_idle: 2, max_idle: 4, cool_down: 1s, sync_interval: 1h}\n", "");
        runtime = VpcNodes.runtime(node);
        node.launch();
        node.awaitReady();
    }

    @Test
    void afterARebootPodsGetTheirNetworkAnewAndTheirOldSandboxesAreDeleted() throws Exception {
        List<Sandbox> before = running();
        node.kill();
        NodeKernelState.reboot(node, before);
        node.launch();
        node.awaitReady();

        List<Sandbox> after = running();
        wellConnected(after);
        // the kubelet finds sandboxes of before its start, and their namespaces gone
        for (Sandbox gone : before) {
            Answer deleted = runtime.deleteWithoutNamespace(gone);
            assertThat(deleted.isDone()).as("DEL: %s", deleted).isTrue();
        }
        assertThat(lent()).isEqualTo(addresses(after));
        wellConnected(after);

        stop(after);
    }

    @Test
    void aLostDatabaseIsMadeAnewByWhatPodsHaveInTheKernel() throws Exception {
        List<Sandbox> pods = new ArrayList<>(running());
        node.kill();
        remove(node.file("lib/db"));
        node.launch();
        node.awaitReady();

        assertThat(lent()).as("leases by the kernel").isEqualTo(addresses(pods));
        pods.add(vpc.run(node, "new-0"));
        pods.add(vpc.run(node, "new-1"));
        wellConnected(pods);
        assertThat(lent()).isEqualTo(addresses(pods));

        stop(pods);
    }

    @Test
    void aRecoveryRebuildsTheLeasesOfTheKernelAndInAnotherNamespaceItChangesNothingUnasked() throws Exception {
        List<Sandbox> pods = running();
        node.kill();
        remove(node.file("lib/db"));

        ProgramRunner.Result elsewhere = node.recoverElsewhere();
        assertThat(elsewhere.status()).as("%s", elsewhere).isEqualTo(1);
        assertThat(elsewhere.err())
                .contains("leases may be lost, as the kernel knows no sandbox", "nothing was changed", "--yes");
        assertThat(node.file("lib/db")).doesNotExist();

        ProgramRunner.Result recovered = node.recover();
        assertThat(recovered.status()).as("%s", recovered).isZero();
        assertThat(recovered.out()).contains("kernel: 3 sandboxes are connected", "rebuild lease 3");

        node.launch();
        node.awaitReady();
        assertThat(lent()).isEqualTo(addresses(pods));
        wellConnected(pods);

        stop(pods);
    }

    @Test
    void rulesAndRoutesThatSomebodyDeletedAreToldAndSetAgain() throws Exception {
        Sandbox pod = vpc.run(node, "web-0");
        List<String> far = List.of(vpc.cloud().address(1));
        assertThat(pod.netns().silent(10, far)).isEmpty();

        List<String> deleted = NodeKernelState.deleteRules(node, pod.address());
        assertThat(deleted).hasSizeGreaterThanOrEqualTo(2);
        String table = "table " + deleted.get(deleted.size() - 1).replaceFirst(".* lookup (\\d+).*", "$1");
        String routes = node.netns().ip("route show " + table);
        assertThat(routes).contains("default");
        node.netns().ip("route flush " + table);
        assertThat(pod.netns().silent(1, far)).isEqualTo(far);
        Answer checked = runtime.check(pod);
        assertThat(checked.json().path("msg").asText()).as("CHECK: %s", checked).contains("rule");
        ProgramRunner.Result doctor = node.shell("doctor kernel-rule-missing");
        assertThat(doctor.status()).isEqualTo(1);
        assertThat(doctor.out()).contains("CRITICAL", pod.container(), pod.address(), "route");
        ProgramRunner.Result held = node.shell("cni check --pod default/web-0");
        assertThat(held.out())
                .as("%s", held)
                .containsPattern("(?m)^rule +WRONG .*" + pod.address())
                .containsPattern("(?m)^route +WRONG .*default");

        node.ok("doctor --repair kernel-rule-missing --yes");

        assertThat(pod.netns().silent(10, far)).isEmpty();
        assertThat(node.netns().ip("rule").lines()).containsAll(deleted);
        assertThat(node.netns().ip("route show " + table)).isEqualTo(routes);
        node.ok("doctor kernel-rule-missing");
        stop(List.of(pod));
    }

    @Test
    void podsOfAnEniThatAnotherActorDetachedReachTheOtherNodeAgainWithoutBeingCreatedAnew() throws Exception {
        List<Sandbox> pods = running();
        wellConnected(pods);
        List<String> far = List.of(vpc.cloud().address(1));
        String eni = vpc.cloud().eniWith(0, addresses(pods));
        long events = node.ok("events -n 4096").lines().count();

        String link = linkToTheEniOf(pods.get(0));
        vpc.cloud().detach(eni);
        Awaitility.await("the NIC leaves the node")
                .atMost(SETTLING)
                .until(() -> node.netns().tryIp("link show " + link).status() != 0);
        // its name is taken when it comes back, and its index is another one anyway
        node.netns().ip("link add " + link + " type bridge");
        assertThat(pods.get(0).netns().silent(1, far)).isEqualTo(far);
        node.ok("pool sync");

        Awaitility.await("every pod reaches the other node").atMost(SETTLING).untilAsserted(() -> {
            for (Sandbox pod : pods) {
                assertThat(pod.netns().silent(1, far)).isEmpty();
            }
        });
        wellConnected(pods);
        assertThat(linkToTheEniOf(pods.get(0))).isNotEqualTo(link);
        assertThat(vpc.cloud().addresses(0)).containsKey(eni);
        // those that are idle may go meanwhile
        assertThat(vpc.cloud().addresses(0).get(eni)).containsAll(addresses(pods));
        assertThat(lent()).isEqualTo(addresses(pods));
        for (Sandbox pod : pods) {
            assertThat(node.ok("explain default/" + pod.pod()))
                    .contains("IN_USE", pod.address())
                    .doesNotContainPattern("(?i)lost|another actor|no network|differ");
        }
        assertThat(node.ok("events -n 4096").lines().skip(events).collect(Collectors.joining("\n")))
                .contains("EniLost", "EniReattached")
                .doesNotContain("EniDeleted", "EniFailed", "ResourceClash", "LeaseRevoked");
        node.ok("doctor kernel-rule-missing");

        node.netns().ip("link del " + link);
        stop(pods);
    }

    /** The node's link that what a pod sends leaves by. */
    private static String linkToTheEniOf(Sandbox pod) {
        String rule = node.netns()
                .ip("rule")
                .lines()
                .filter(line -> line.contains("from " + pod.address() + " "))
                .findFirst()
                .orElseThrow();
        return node.netns()
                .ip("route show table " + rule.replaceFirst(".* lookup (\\d+).*", "$1"))
                .replaceFirst("(?s).*default .* dev (\\S+).*", "$1");
    }

    private static List<Sandbox> running() {
        return PODS.stream().map(pod -> vpc.run(node, pod)).toList();
    }

    /** No two have the same address, and all reach each other, their node, and another one. */
    private static void wellConnected(List<Sandbox> pods) throws IOException {
        assertThat(addresses(pods)).hasSameSizeAs(pods);
        Reachability.reach(pods, List.of(vpc.cloud().address(0), vpc.cloud().address(1)));
        for (Sandbox pod : pods) {
            assertThat(runtime.check(pod).out()).as("CHECK").isEmpty();
        }
    }

    private static TreeSet<String> addresses(List<Sandbox> pods) {
        TreeSet<String> addresses = new TreeSet<>();
        pods.forEach(pod -> addresses.add(pod.address()));
        return addresses;
    }

    /** What the daemon believes to have lent, nothing of it twice. */
    private static TreeSet<String> lent() throws IOException {
        List<String> lent = new ArrayList<>();
        JSON.readTree(node.ok("pool inuse -o json"))
                .findValues("addresses")
                .forEach(addresses ->
                        addresses.forEach(address -> lent.add(address.asText().replaceFirst("/.*", ""))));
        assertThat(lent).doesNotHaveDuplicates();
        return new TreeSet<>(lent);
    }

    private static void stop(List<Sandbox> pods) throws IOException {
        pods.forEach(runtime::stop);
        NodeKernelState.assertNothingIsLeft(node);
        Awaitility.await("the daemon serves as before")
                .atMost(SETTLING)
                .until(() -> node.ok("status").contains("READY"));
    }

    private static void remove(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}

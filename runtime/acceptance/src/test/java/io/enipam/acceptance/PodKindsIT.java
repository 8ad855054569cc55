package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.acceptance.FakeContainerRuntime.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** What a pod may get beside an IPv4 address of a shared ENI: on two nodes each, by the programs as they ship, in the kernel. */
class PodKindsIT {
    private static final Duration SETTLING = Duration.ofSeconds(60);
    private static final String POOL = "pool: {min_idle: 1, max_idle: 2, cool_down: 1s, sync_interval: 1h}\n";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    static Path scratch;

    private static final List<Process> API_SERVERS = new ArrayList<>();
    private static VpcNodes vpc;

    @BeforeAll
    static void start() throws Exception {
        vpc = VpcNodes.start(
                scratch,
                "kinds",
                "--instances=6",
                "--instance-type=ecs.g7.4xlarge",
                "--vswitch=vsw-a=10.0.0.0/22,fd00:10::/64",
                "--route=172.16.4.0/24=node-4",
                "--route=172.16.5.0/24=node-5");
    }

    @AfterAll
    static void stop() throws Exception {
        API_SERVERS.forEach(Process::destroyForcibly);
        if (vpc != null) {
            vpc.close();
        }
    }

    @Test
    void podsWithBothFamiliesReachEachOtherByEitherAndByNoSourceButTheirOwn() throws Exception {
        List<NetworkNode> nodes = nodes(0, POOL, ", \"ip_stack\": \"dual\"");
        Sandbox one = vpc.run(nodes.get(0), "one");
        Sandbox neighbour = vpc.run(nodes.get(0), "neighbour");
        Sandbox other = vpc.run(nodes.get(1), "other");
        List<Sandbox> pods = List.of(one, neighbour, other);
        assertThat(pods)
                .allSatisfy(pod -> assertThat(pod.addresses().get(0)).startsWith("10.0."))
                .allSatisfy(pod -> assertThat(pod.addresses().get(1)).startsWith("fd00:10:"));

        Reachability.reach(pods, List.of(vpc.cloud().address(0), vpc.cloud().address(1)));
        String from = one.addresses().get(1);
        String to = other.addresses().get(1);
        Reachability.wrongSourceDoesNotPass(
                one,
                from,
                other,
                to,
                List.of("fd00:10::dead", neighbour.addresses().get(1)));

        endsWithNothingLeft(nodes, List.of(List.of(one, neighbour), List.of(other)));
    }

    @Test
    void aPodWithAnEniOfItsOwnHasServicesByTheNodeWhichGetsTheNicBack() throws Exception {
        String service = "172.21.0.10";
        List<NetworkNode> nodes = nodes(
                2,
                "daemon: {mode: ENIOnly}\npool: {min_idle: 0, max_idle: 1, cool_down: 1s}\n",
                ", \"service_cidr\": \"172.21.0.0/20\"");
        nodes.forEach(node -> node.netns().ip("addr add " + service + "/32 dev lo"));
        Sandbox one = vpc.run(nodes.get(0), "one");
        Sandbox other = vpc.run(nodes.get(1), "other");
        List<Sandbox> pods = List.of(one, other);

        Reachability.reach(pods, List.of(service));
        // the other node is the VPC's to reach, and its own one is behind the pod's link to it
        assertThat(one.netns().silent(10, List.of(vpc.cloud().address(2)))).isEmpty();
        assertThat(other.netns().silent(10, List.of(vpc.cloud().address(3)))).isEmpty();
        assertThat(one.netns().ip("route get " + service)).contains(" dev veth1 ");
        assertThat(one.netns().ip("route get " + other.address())).contains(" dev eth0 ");

        String nic = mac(one);
        detachedAndAttachedAgain(nodes.get(0), one, vpc.cloud().address(2));
        Reachability.reach(pods, List.of(service));
        assertThat(mac(one)).isEqualTo(nic);

        String lost = mac(other);
        assertThat(nodes.get(0).netns().ip("-o link")).doesNotContain(nic);
        other.netns().remove();
        endsWithNothingLeft(nodes, List.of(List.of(one), List.of()));
        VpcNodes.runtime(nodes.get(1)).stop(other);
        NodeKernelState.assertNothingIsLeft(nodes.get(1));
        assertThat(nodes.get(0).netns().ip("-o link")).contains(nic);
        Awaitility.await("the NIC of a pod whose namespace was removed is back")
                .atMost(SETTLING)
                .until(() -> nodes.get(1).netns().ip("-o link").contains(lost));
    }

    /** Another actor detaches the pod's ENI; the daemon attaches it again, and gives the NIC to the same pod. */
    private static void detachedAndAttachedAgain(NetworkNode node, Sandbox pod, String far) throws IOException {
        vpc.cloud().detach(vpc.cloud().eniWith(2, pod.addresses()));
        Awaitility.await("the NIC leaves the pod")
                .atMost(SETTLING)
                .until(() -> pod.netns().tryIp("link show dev eth0").status() != 0);
        assertThat(pod.netns().silent(1, List.of(far))).containsExactly(far);
        node.ok("pool sync");
        Awaitility.await("the pod reaches the other node")
                .atMost(SETTLING)
                .untilAsserted(
                        () -> assertThat(pod.netns().silent(1, List.of(far))).isEmpty());
        assertThat(node.ok("events -n 4096"))
                .contains("EniLost", "EniReattached")
                .doesNotContain("EniDeleted", "ResourceClash");
    }

    private static String mac(Sandbox pod) {
        return pod.netns().ip("-o link show dev eth0").replaceFirst("(?s).*link/ether (\\S+).*", "$1");
    }

    @Test
    void podsOfTheNodesOwnCidrReachEachOtherByTheRoutesOfTheVpc() throws Exception {
        Path kubeconfig = Files.writeString(scratch.resolve("kubeconfig"), KUBECONFIG);
        for (int number = 4; number < 6; number++) {
            Process api = vpc.cloud().node(number).probe("api", "172.16." + number + ".0/24");
            API_SERVERS.add(api);
            assertThat(api.inputReader().readLine()).isEqualTo("listening");
        }
        List<NetworkNode> nodes = nodes(
                4, "daemon: {mode: VPC}\nkubernetes: {use: \"on\", kubeconfig: \"" + kubeconfig + "\"}\n" + POOL, "");
        Sandbox one = vpc.run(nodes.get(0), "one");
        Sandbox neighbour = vpc.run(nodes.get(0), "neighbour");
        Sandbox other = vpc.run(nodes.get(1), "other");
        assertThat(one.address()).startsWith("172.16.4.");
        assertThat(other.address()).startsWith("172.16.5.");

        Reachability.reach(
                List.of(one, neighbour, other),
                List.of(vpc.cloud().address(4), vpc.cloud().address(5)));
        assertThat(filesOf(nodes.get(0), one)).containsExactly(one.address());
        assertThat(filesOf(nodes.get(0), neighbour)).containsExactly(neighbour.address());

        // a daemon that starts while the API server is away goes by what it said before
        API_SERVERS.get(0).destroyForcibly().waitFor();
        nodes.get(0).kill();
        nodes.get(0).launch();
        nodes.get(0).awaitReady();
        Sandbox late = vpc.run(nodes.get(0), "late");
        assertThat(late.address()).startsWith("172.16.4.");
        Reachability.reach(List.of(one, neighbour, other, late), List.of());

        endsWithNothingLeft(nodes, List.of(List.of(one, neighbour, late), List.of(other)));
        for (Sandbox gone : List.of(one, neighbour, late)) {
            assertThat(filesOf(nodes.get(0), gone)).isEmpty();
        }
    }

    private static final String KUBECONFIG = """
            apiVersion: v1
            kind: Config
            clusters: [{name: here, cluster: {server: "http://127.0.0.1:6443"}}]
            users: [{name: node, user: {token: "none"}}]
            contexts: [{name: here, context: {cluster: here, user: node}}]
            current-context: here
            """;

    /** The addresses whose files name a sandbox, as CNI's host-local plugin would look for them. */
    private static List<String> filesOf(NetworkNode node, Sandbox pod) throws IOException {
        List<String> addresses = new ArrayList<>();
        try (Stream<Path> files = Files.walk(node.file("cni/networks"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (Files.readString(file).startsWith(pod.container())) {
                    addresses.add(file.getFileName().toString());
                }
            }
        }
        return addresses;
    }

    private static List<NetworkNode> nodes(int first, String settings, String terway) throws IOException {
        List<NetworkNode> nodes = List.of(vpc.node(first, settings, terway), vpc.node(first + 1, settings, terway));
        nodes.forEach(NetworkNode::launch);
        nodes.forEach(NetworkNode::awaitReady);
        return nodes;
    }

    /** CHECK is content, DEL too, and then the node is as it was. */
    private static void endsWithNothingLeft(List<NetworkNode> nodes, List<List<Sandbox>> pods) throws IOException {
        for (int i = 0; i < nodes.size(); i++) {
            FakeContainerRuntime runtime = VpcNodes.runtime(nodes.get(i));
            for (Sandbox pod : pods.get(i)) {
                assertThat(runtime.check(pod).out()).as("CHECK").isEmpty();
                runtime.stop(pod);
            }
            if (!pods.get(i).isEmpty()) {
                NodeKernelState.assertNothingIsLeft(nodes.get(i));
                nodes.get(i).terminate();
            }
        }
    }
}

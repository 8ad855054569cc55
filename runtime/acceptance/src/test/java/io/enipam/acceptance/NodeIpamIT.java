package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.kubernetes.testing.FakeApiServer;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The node IPAM controller as a cluster runs it: two processes on one API server, of which one leads by a Lease, and a shell that is
 * attached to either.
 */
class NodeIpamIT {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final String POOL = "alibabacloud.com/nodepool-id";

    @TempDir
    Path scratch;

    private final FakeApiServer server = new FakeApiServer();
    private ProgramRunner programs;
    private DaemonWithShell one;
    private DaemonWithShell other;

    @BeforeEach
    void twoReplicas() throws IOException {
        programs = new ProgramRunner(scratch);
        one = new DaemonWithShell(programs, Files.createDirectories(scratch.resolve("one/root")));
        other = new DaemonWithShell(programs, Files.createDirectories(scratch.resolve("other/root")));
    }

    @AfterEach
    void end() throws Exception {
        one.close();
        other.close();
        server.close();
    }

    private void start(DaemonWithShell replica, String name) throws IOException {
        Path kubeconfig = scratch.resolve("kubeconfig");
        Files.writeString(kubeconfig, """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: u, user: {token: daemon}}]
                contexts: [{name: x, context: {cluster: c, user: u}}]
                current-context: x
                """.formatted(server.port()));
        Path settings = Files.writeString(scratch.resolve(name + ".yaml"), """
                extensions: [node-ipam]
                plugins:
                  node-ipam: {cluster_cidr: 10.244.0.0/20, service_cluster_ip_range: 10.96.0.0/12, node_cidr_mask_size: 26}
                node: {name: %s}
                cluster: {leader: kubernetes}
                kubernetes: {use: "on", kubeconfig: %s}
                metrics: {listen: ""}
                """.formatted(name, kubeconfig));
        replica.start(
                "--role",
                "cluster",
                "--plugin",
                Project.root()
                        .resolve("plugins-examples/node-ipam/target/plugin")
                        .toString(),
                "--config",
                settings.toString(),
                "--log-level",
                "info");
    }

    private void node(String name, String pool, String... cidrs) {
        Node node = new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .addToLabels(POOL, pool)
                .endMetadata()
                .withNewSpec()
                .withPodCIDR(cidrs.length == 0 ? null : cidrs[0])
                .withPodCIDRs(cidrs)
                .endSpec()
                .build();
        server.client().nodes().resource(node).create();
    }

    private Map<String, List<String>> cidrs() {
        return server.client().nodes().list().getItems().stream()
                .collect(Collectors.toMap(
                        node -> node.getMetadata().getName(),
                        node -> node.getSpec().getPodCIDRs(),
                        (a, b) -> a,
                        TreeMap::new));
    }

    private Map<String, List<String>> allGiven(int nodes) {
        await("each node has a block")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .until(() ->
                        cidrs().size() == nodes && cidrs().values().stream().noneMatch(List::isEmpty));
        Map<String, List<String>> given = cidrs();
        assertThat(given.values()).allSatisfy(its -> assertThat(its).hasSize(1)).doesNotHaveDuplicates();
        return given;
    }

    private static boolean leads(DaemonWithShell replica) {
        return replica.ok("status").contains("cluster leads");
    }

    @Test
    void aClusterIsTakenOverServedAndGoesOnWhenItsLeaderIsKilledAndNothingMoves() throws Exception {
        node("old-0", "np-old", "10.244.0.64/26");
        node("old-1", "np-old", "10.244.3.0/26");
        IntStream.range(0, 10).forEach(i -> node("new-" + i, "np-new"));
        start(one, "one");
        start(other, "other");

        Map<String, List<String>> first = allGiven(12);

        assertThat(first)
                .containsEntry("old-0", List.of("10.244.0.64/26"))
                .containsEntry("old-1", List.of("10.244.3.0/26"));
        await("one leads").atMost(PATIENCE).until(() -> leads(one) != leads(other));
        for (DaemonWithShell replica : List.of(one, other)) {
            assertThat(replica.ok("nodeipam show")).contains("10.244.0.0/20", "np-new", "np-old");
            assertThat(replica.ok("nodeipam map"))
                    .containsPattern("\n10\\.244\\.0\\.0 [AB.]{64}\n")
                    .contains("A  np-new, 10 blocks", "B  np-old, 2 blocks");
            assertThat(replica.ok("nodeipam node new-3"))
                    .contains("has its blocks", first.get("new-3").get(0));
            assertThat(replica.ok("nodeipam block 10.244.3.9")).contains("10.244.3.0/26 by node old-1");
            assertThat(replica.ok("nodeipam plan --cluster-cidr 172.16.0.0/12 --mask 24 --nodes 5000 -o json"))
                    .contains("\"4096\"", "\"no\"", "\"/11\"");
            assertThat(replica.ok("nodeipam import --dry-run"))
                    .contains("taken over as it is", "--node-cidr-mask-size=26");
            assertThat(replica.ok("nodeipam map --html " + scratch.resolve("map.html") + "; doctor --fail-on none"))
                    .doesNotContain("node-ipam/overlap", "node-ipam/foreign", "node-ipam/waiting");
            assertThat(scratch.resolve("map.html")).content().contains("</svg>");
            ProgramRunner.Result kept = replica.attached("nodeipam release old-0 --yes");
            assertThat(kept.status()).as(kept.toString()).isEqualTo(1);
        }

        DaemonWithShell leader = leads(one) ? one : other;
        DaemonWithShell follower = leader == one ? other : one;
        leader.kill();
        IntStream.range(0, 5).forEach(i -> node("late-" + i, "np-late"));
        Map<String, List<String>> second = allGiven(17);
        assertThat(second).containsAllEntriesOf(first);
        assertThat(leads(follower)).isTrue();

        start(leader, leader == one ? "one" : "other");
        node("last", "np-late");
        Map<String, List<String>> third = allGiven(18);
        assertThat(third).containsAllEntriesOf(second);
        assertThat(leads(leader)).isFalse();
        assertThat(leader.ok("nodeipam show")).contains("np-late");
    }
}

package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.emulator.cloud.IdGenerator;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The node IPAM controller with a daemon of role cluster and the emulator's route table: blocks are led to instances. */
class NodeIpamCloudIT {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    /** What the emulator makes of its usual seed. */
    private static final String INSTANCE = IdGenerator.resource(1, "i", 0);

    private static final String TABLE = IdGenerator.resource(1, "vtb", 0);

    @TempDir
    Path scratch;

    private final FakeApiServer server = new FakeApiServer();
    private DaemonWithShell daemon;

    @BeforeEach
    void prepare() throws IOException {
        daemon = new DaemonWithShell(new ProgramRunner(scratch), Files.createDirectories(scratch.resolve("root")));
    }

    @AfterEach
    void end() throws Exception {
        daemon.close();
        server.close();
    }

    private void start() throws IOException {
        Path kubeconfig = scratch.resolve("kubeconfig");
        Files.writeString(kubeconfig, """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: u, user: {token: daemon}}]
                contexts: [{name: x, context: {cluster: c, user: u}}]
                current-context: x
                """.formatted(server.port()));
        Path settings = Files.writeString(scratch.resolve("cluster.yaml"), """
                extensions: [node-ipam]
                plugins:
                  node-ipam: {cidr_allocator_type: IPAMFromCluster, cluster_cidr: 10.244.0.0/20, route_table: %s}
                emulator: {latency: none}
                kubernetes: {use: "on", kubeconfig: %s}
                metrics: {listen: ""}
                """.formatted(TABLE, kubeconfig));
        daemon.start(
                "--role",
                "cluster",
                "--emulate",
                "--plugin",
                Project.root()
                        .resolve("plugins-examples/node-ipam/target/plugin")
                        .toString(),
                "--config",
                settings.toString(),
                "--log-level",
                "info");
    }

    private void node(String name) {
        server.client()
                .nodes()
                .resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withProviderID("cn-emulated." + INSTANCE)
                        .endSpec()
                        .build())
                .create();
    }

    private Node withNetwork(String name) {
        return await("node " + name + " has a network")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .until(
                        () -> server.client().nodes().withName(name).get(),
                        node -> node.getStatus() != null
                                && node.getStatus().getConditions().stream()
                                        .anyMatch(
                                                condition -> condition.getType().equals("NetworkUnavailable")
                                                        && condition.getStatus().equals("False")
                                                        && condition.getReason().equals("RouteCreated")));
    }

    @Test
    void aNodesBlockIsLedToItsInstanceUntilItIsGone() throws Exception {
        start();
        node("first");
        assertThat(withNetwork("first").getSpec().getPodCIDRs()).containsExactly("10.244.0.0/24");

        server.client().nodes().withName("first").delete();
        node("second");
        // with the first node's entry beside it, the instance would have an alias already
        assertThat(withNetwork("second").getSpec().getPodCIDRs()).containsExactly("10.244.1.0/24");
        await("the first node's entry is removed")
                .atMost(PATIENCE)
                .until(() -> daemon.ok("ecs calls -o json").contains("DeleteRouteEntry"));
    }
}

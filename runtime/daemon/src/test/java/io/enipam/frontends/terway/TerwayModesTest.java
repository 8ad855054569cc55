package io.enipam.frontends.terway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.daemon.testing.NodeWithCidr;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.terway.rpc.AllocIPReply;
import io.enipam.terway.rpc.IPType;
import io.enipam.terway.rpc.Pod;
import io.enipam.v1.ListInUseRequest;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Terway's plugin before a whole daemon in its two other modes: an ENI for each pod, and addresses of the node's CIDR. */
class TerwayModesTest {
    @TempDir
    private Path root;

    private void configure(String yaml, String eniJson) throws IOException {
        Files.createDirectories(root.resolve("etc/enipam"));
        Files.createDirectories(root.resolve("etc/eni"));
        Files.writeString(
                root.resolve("etc/enipam/enipam.yaml"),
                "sockets: {terway: " + root.resolve("eni/eni.socket") + "}\nallocation: {timeout: 60s}\n" + yaml);
        Files.writeString(root.resolve("etc/eni/eni.json"), eniJson);
    }

    private FakeTerwayPlugin plugin() {
        return new FakeTerwayPlugin(root.resolve("eni/eni.socket"));
    }

    private static List<String> inUse(LivingDaemon daemon) {
        List<String> all = new ArrayList<>();
        daemon.client()
                .inspect()
                .listInUse(ListInUseRequest.getDefaultInstance())
                .forEachRemaining(reply -> reply.getLeasesList()
                        .forEach(lease -> all.add(lease.getResource().getId())));
        return all;
    }

    @Test
    void inModeEnionlyThePluginIsToldTheEniToMoveAndTheServices() throws IOException {
        configure(
                "daemon: {mode: ENIOnly}\npool: {min_idle: 0, max_idle: 0, cool_down: 0s}\n",
                "{\"service_cidr\": \"172.21.0.0/20\"}");
        try (LivingDaemon daemon = LivingDaemon.start(root, new EmulatedLinksEnvironment());
                FakeTerwayPlugin plugin = plugin()) {
            AllocIPReply reply = plugin.add("own-0", "c1");

            assertThat(reply.getIPType()).isEqualTo(IPType.TypeVPCENI);
            assertThat(reply.getVpcEni().getServiceCidr()).isEqualTo("172.21.0.0/20");
            assertThat(reply.getVpcEni().getEniConfig().getGateway()).isEqualTo("10.0.0.253");
            assertThat(plugin.info("other", "c9").getIPType()).as("by the mode").isEqualTo(IPType.TypeVPCENI);
            assertThat(plugin.del("own-0", "c1").getIPv4Addr())
                    .isEqualTo(reply.getVpcEni().getEniConfig().getIPv4Addr());
            assertThat(inUse(daemon)).isEmpty();
        }
    }

    @Test
    void inModeVpcThePluginIsToldTheCidrAndLimitsAndThePoolLendsNothing() throws IOException {
        try (NodeWithCidr node = new NodeWithCidr()) {
            node.pod(
                    "vpc-0",
                    Map.of("k8s.aliyun.com/ingress-bandwidth", "10M", "k8s.aliyun.com/egress-bandwidth", "20M"));
            node.pod("greedy", Map.of("k8s.aliyun.com/ENI", "true"));
            configure(node.yaml(root), "{}");
            try (LivingDaemon daemon = LivingDaemon.start(root, new EmulatedLinksEnvironment());
                    FakeTerwayPlugin plugin = plugin()) {
                AllocIPReply reply = plugin.add("vpc-0", "c1");

                assertThat(reply.getVpcIp().getNodeCidr()).isEqualTo("10.7.0.0/28");
                assertThat(reply.getVpcIp().getPodConfig())
                        .isEqualTo(Pod.newBuilder()
                                .setIngress(10 << 20)
                                .setEgress(20 << 20)
                                .build());
                assertThat(inUse(daemon))
                        .as("host-local's book is the only one")
                        .isEmpty();
                assertThatThrownBy(() -> plugin.add("greedy", "c2"))
                        .isInstanceOf(StatusRuntimeException.class)
                        .hasMessageContaining("asks for an ENI of its own");
                assertThatThrownBy(() -> plugin.add("nobody", "c3"))
                        .isInstanceOf(StatusRuntimeException.class)
                        .hasMessageContaining("pod default/nobody does not exist");
            }
            // a start waits ten seconds for the list of pods
            refuse(node, line -> line.startsWith("GET") && !line.contains("/pods?"));
            try (LivingDaemon daemon = LivingDaemon.start(root, new EmulatedLinksEnvironment());
                    FakeTerwayPlugin plugin = plugin()) {
                assertThat(daemon).isNotNull();
                refuse(node, line -> line.startsWith("GET"));
                plugin.del("vpc-0", "c1");
                plugin.del("vpc-0", "c1");

                assertThat(plugin.done)
                        .as("mistake 25: a DEL needs no API server")
                        .containsExactly("host-local gives back 10.7.0.0/28", "host-local gives back 10.7.0.0/28");
                assertThat(root.resolve("run/terway-sandboxes")).isEmptyDirectory();
            }
        }
    }

    private static void refuse(NodeWithCidr node, Predicate<String> which) {
        node.server.answers(line -> which.test(line)
                ? Optional.of(FakeApiServer.refusal(503, "ServiceUnavailable", "no leader"))
                : Optional.empty());
    }
}

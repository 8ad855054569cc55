package io.enipam.daemon.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.daemon.testing.NodeWithCidr;
import io.enipam.kubernetes.testing.ApiServer;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.GetPoolRequest;
import io.enipam.v1.Resource;
import io.fabric8.kubernetes.api.model.Event;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole daemon whose pods get addresses of the node's CIDR: no cloud is there. */
class VpcModeTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path root;

    @Test
    void pods_get_addresses_of_the_nodes_cidr_and_one_that_wants_an_eni_is_refused_with_an_event() throws IOException {
        try (NodeWithCidr node = new NodeWithCidr()) {
            node.pod("web-0", Map.of());
            node.pod("web-1", Map.of());
            node.pod("greedy", Map.of("k8s.aliyun.com/ENI", "true"));
            configure(node);

            Path files = Files.createDirectories(root.resolve("cni/networks"));
            Files.writeString(files.resolve("10.7.0.2"), "someone\r\neth0");
            Resource first;
            try (LivingDaemon daemon = LivingDaemon.start(root)) {
                first = add(daemon, "web-0");
                assertThat(first.getKind()).isEqualTo("node-ip");
                assertThat(first.getAddresses(0)).startsWith("10.7.0.").endsWith("/28");
                assertThat(first.getAttributesMap()).containsEntry("gateway", "10.7.0.1");
                assertThat(first.getAddresses(0)).as("it is host-local's").isNotEqualTo("10.7.0.2/28");
                assertThat(files.resolve(first.getAddresses(0).replace("/28", "")))
                        .content()
                        .contains("\r\neth0")
                        .doesNotStartWith("enipam:idle");
                assertThat(daemon.client()
                                .inspect()
                                .getPool(GetPoolRequest.getDefaultInstance())
                                .getPool()
                                .getCapacity())
                        .as("but the network's, the gateway's and the broadcast address")
                        .isEqualTo(13);
                assertThatThrownBy(() -> add(daemon, "greedy"))
                        .isInstanceOf(StatusRuntimeException.class)
                        .hasMessageContaining("asks for an ENI of its own")
                        .hasMessageContaining("daemon.mode VPC has none for pods");
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(node.server
                                        .client()
                                        .v1()
                                        .events()
                                        .inNamespace("default")
                                        .list()
                                        .getItems())
                                .filteredOn(event -> "greedy"
                                        .equals(event.getInvolvedObject().getName()))
                                .extracting(Event::getReason)
                                .contains("AllocIPFailed"));
            }
            node.server.answers(line -> line.contains("/nodes/node-1")
                    ? Optional.of(ApiServer.refusal(503, "ServiceUnavailable", "no leader"))
                    : Optional.empty());
            try (LivingDaemon daemon = LivingDaemon.start(root)) {
                assertThat(add(daemon, "web-0").getId())
                        .as("though nobody says what the CIDR is")
                        .isEqualTo(first.getId());
                assertThat(add(daemon, "web-1").getId()).isNotEqualTo(first.getId());
            }
        }
    }

    private void configure(NodeWithCidr node) throws IOException {
        Path yaml = root.resolve("etc/enipam/enipam.yaml");
        Files.createDirectories(yaml.getParent());
        Files.writeString(yaml, node.yaml(root) + "allocation: {timeout: 60s}\n");
    }

    private static Resource add(LivingDaemon daemon, String pod) {
        return daemon.client()
                .control()
                .cniAdd(CniAddRequest.newBuilder().setPod("default/" + pod).build())
                .getLease()
                .getResource();
    }
}

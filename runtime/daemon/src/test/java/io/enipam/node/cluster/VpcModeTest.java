package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.StartupException;
import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.daemon.testing.NodeWithCidr;
import io.enipam.kubernetes.cidr.AddressFileStore.AddressOwner;
import io.enipam.kubernetes.cidr.InMemoryAddressFileStore;
import io.enipam.kubernetes.cidr.NodeCidr;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.v1.ConfigEntry;
import io.enipam.v1.GetConfigRequest;
import io.enipam.v1.ListInUseRequest;
import io.enipam.v1.Resource;
import io.enipam.v1.SyncPoolRequest;
import io.fabric8.kubernetes.api.model.Event;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
    void podsGetAddressesOfTheNodesCidrAndOneThatWantsAnEniIsRefusedWithAnEvent() throws IOException {
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
                assertThat(daemon.client().pool().getCapacity())
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
                    ? Optional.of(FakeApiServer.refusal(503, "ServiceUnavailable", "no leader"))
                    : Optional.empty());
            try (LivingDaemon daemon = LivingDaemon.start(root)) {
                assertThat(add(daemon, "web-0").getId())
                        .as("though nobody says what the CIDR is")
                        .isEqualTo(first.getId());
                assertThat(add(daemon, "web-1").getId()).isNotEqualTo(first.getId());
            }
        }
    }

    @Test
    void aLivingLeasesFileThatWasRemovedOrEmptiedIsPutBackLongBeforeTheNextSync() throws Exception {
        try (NodeWithCidr node = new NodeWithCidr()) {
            node.pod("web-0", Map.of());
            configure(node);
            try (LivingDaemon daemon = LivingDaemon.start(root)) {
                Path file = root.resolve("cni/networks")
                        .resolve(add(daemon, "web-0").getAddresses(0).replace("/28", ""));
                String signed = Files.readString(file);

                Files.delete(file);
                await().atMost(PATIENCE).until(() -> Files.exists(file));
                assertThat(file).hasContent(signed);
                Files.write(file, new byte[0]);
                await().atMost(PATIENCE).until(() -> Files.size(file) > 0);
                assertThat(file).hasContent(signed);

                Files.write(file, new byte[0]);
                daemon.client().control().syncPool(SyncPoolRequest.getDefaultInstance());
                assertThat(states(daemon))
                        .as("an empty file is no reason to delete a pod")
                        .containsExactly("IN_USE");
            }
        }
    }

    private static List<String> states(LivingDaemon daemon) {
        List<String> states = new ArrayList<>();
        daemon.client()
                .inspect()
                .listInUse(ListInUseRequest.getDefaultInstance())
                .forEachRemaining(reply -> reply.getLeasesList().forEach(lease -> states.add(lease.getState())));
        return states;
    }

    @Test
    void configShowSaysWhereTheFilesAndTheSocketsAre() throws IOException {
        try (NodeWithCidr node = new NodeWithCidr()) {
            configure(node);
            try (LivingDaemon daemon = LivingDaemon.start(root)) {
                assertThat(daemon.client()
                                .inspect()
                                .getConfig(GetConfigRequest.getDefaultInstance())
                                .getEntriesList())
                        .extracting(ConfigEntry::getKey, ConfigEntry::getValue, ConfigEntry::getSource)
                        .contains(
                                tuple(
                                        "vpc.address_dir",
                                        root.resolve("cni/networks").toString(),
                                        "default"),
                                tuple(
                                        "sockets.control",
                                        root.resolve("run/enipam.sock").toString(),
                                        "default"),
                                tuple(
                                        "sockets.cni",
                                        root.resolve("run/cni.sock").toString(),
                                        "default"));
            }
        }
    }

    @Test
    void belowARootTheDaemonDoesNotServeTerwaysPluginFromAnotherDirectoryThanHostLocals(@TempDir Path elsewhere)
            throws IOException {
        try (NodeWithCidr node = new NodeWithCidr()) {
            String yaml = node.yaml(root) + "sockets: {terway: " + elsewhere.resolve("eni.socket") + "}\n";
            Path file = Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml");

            Files.writeString(file, yaml);
            assertThatThrownBy(() -> LivingDaemon.start(root))
                    .isInstanceOf(StartupException.class)
                    .hasMessageContaining("sockets.terway is " + elsewhere + "/eni.socket, outside of --root")
                    .hasMessageContaining("set vpc.address_dir");

            Files.writeString(file, yaml + "vpc: {address_dir: " + elsewhere.resolve("networks") + "}\n");
            LivingDaemon.start(root).close();
        }
    }

    @Test
    void addressesThatHostLocalTookInTheDirectoryThatWasPassedOverAreAConflict() throws IOException {
        InMemoryAddressFileStore hostLocals = new InMemoryAddressFileStore();
        hostLocals.put("10.8.0.2", new AddressOwner("c1", "eth0", false));
        NodeCidr cidr = NodeCidr.parse(NodeWithCidr.CIDR);
        assertThat(NodeCidrProvider.conflict(cidr, hostLocals, "/root/cni/networks"))
                .isEmpty();

        hostLocals.put("10.7.0.2", new AddressOwner("c1", "eth0", false));
        assertThat(NodeCidrProvider.conflict(cidr, hostLocals, "/root/cni/networks"))
                .contains(
                        "address 10.7.0.2 of the node's CIDR is taken by c1 eth0 in memory, and with --root this daemon keeps"
                                + " its own addresses in /root/cni/networks, so it would lend that address twice; set"
                                + " vpc.address_dir to memory");
    }

    private void configure(NodeWithCidr node) throws IOException {
        Path yaml = root.resolve("etc/enipam/enipam.yaml");
        Files.createDirectories(yaml.getParent());
        Files.writeString(yaml, node.yaml(root) + "allocation: {timeout: 60s}\n");
    }

    private static Resource add(LivingDaemon daemon, String pod) {
        return daemon.client().add("default/" + pod).getResource();
    }
}

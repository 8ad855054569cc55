package io.enipam.kubernetes.node;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.simulation.VirtualTime;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.api.ApiServerClient.RequestListener;
import io.enipam.kubernetes.node.NodeStatusWriter.NodeAddressStatus;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NodeStatusWriterTest {
    private final FakeApiServer server = new FakeApiServer();
    private final ApiServerClient calls = server.calls(RequestListener.NONE);
    private final VirtualTime time = new VirtualTime();
    private final NodeStatusWriter reporter = new NodeStatusWriter(calls, time, "node-1");

    @AfterEach
    void close() {
        calls.close();
        server.close();
    }

    @Test
    void aNodeWithoutAddressesHasAConditionThatSaysSoSinceWhen() throws Exception {
        makeNode();
        Instant first = time.now();
        reporter.writeSufficient(true, "there are addresses", first).get(30, SECONDS);
        time.advance(Duration.ofMinutes(5));
        NodeAddressStatus word =
                reporter.writeSufficient(true, "there are addresses", first).get(30, SECONDS);
        assertThat(word).isEqualTo(new NodeAddressStatus(Optional.of(true), Optional.of(first), OptionalInt.empty()));
        assertThat(reporter.fetch().get(30, SECONDS)).isEqualTo(word);
        assertThat(Instant.parse(condition().getLastTransitionTime())).isEqualTo(first);
        assertThat(Instant.parse(condition().getLastHeartbeatTime())).isEqualTo(first.plusSeconds(300));
        reporter.writeSufficient(false, "none is left", time.now()).get(30, SECONDS);
        assertThat(node().getStatus().getConditions())
                .extracting(NodeCondition::getType)
                .containsExactlyInAnyOrder("Ready", "SufficientIP");
        assertThat(condition().getStatus()).isEqualTo("False");
        assertThat(condition().getReason()).isEqualTo("IPResInsufficient");
        assertThat(Instant.parse(condition().getLastTransitionTime())).isEqualTo(first.plusSeconds(300));
    }

    @Test
    void whatOthersSayOfTheNodeStays() throws Exception {
        makeNode();
        assertThat(reporter.writeCapacity(45).get(30, SECONDS).capacity()).hasValue(45);
        assertThat(node().getMetadata().getAnnotations())
                .containsEntry("k8s.aliyun.com/max-available-ip", "45")
                .containsEntry("of/others", "stays");
    }

    @Test
    void aNodeThatIsNotThereIsAFailure() {
        assertThatThrownBy(() -> reporter.writeCapacity(45).get(30, SECONDS)).hasMessageContaining("PATCH node node-1");
    }

    @Test
    void kubeadmsServiceAddressesAreFoundInBothFamilies() throws Exception {
        ClusterReader services = new ClusterReader(calls, "node-1");
        assertThat(services.serviceCidrs().get(30, SECONDS)).isEmpty();
        server.client()
                .resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withNamespace("kube-system")
                        .withName("kubeadm-config")
                        .endMetadata()
                        .addToData(
                                "ClusterConfiguration",
                                "apiVersion: kubeadm.k8s.io/v1beta3\nnetworking:\n  dnsDomain: cluster.local\n"
                                        + "  serviceSubnet: 172.21.0.0/20, fd00:10::/112\n")
                        .build())
                .create();
        assertThat(services.serviceCidrs().get(30, SECONDS)).containsExactly("172.21.0.0/20", "fd00:10::/112");
    }

    private void makeNode() {
        server.client()
                .resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName("node-1")
                        .addToAnnotations("of/others", "stays")
                        .endMetadata()
                        .withNewStatus()
                        .addNewCondition()
                        .withType("Ready")
                        .withStatus("True")
                        .endCondition()
                        .endStatus()
                        .build())
                .create();
    }

    private Node node() {
        return server.client().nodes().withName("node-1").get();
    }

    private NodeCondition condition() {
        return node().getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals("SufficientIP"))
                .findFirst()
                .orElseThrow();
    }
}

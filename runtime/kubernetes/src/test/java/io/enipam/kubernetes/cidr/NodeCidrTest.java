package io.enipam.kubernetes.cidr;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.api.ApiServerClient.RequestListener;
import io.enipam.kubernetes.node.ClusterReader;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.sdk.Address;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeCidrTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.1.0/24,253,10.0.1.1,10.0.1.2,10.0.1.254",
        "10.0.1.128/30,1,10.0.1.129,10.0.1.130,10.0.1.130",
        "192.168.0.0/16,65533,192.168.0.1,192.168.0.2,192.168.255.254",
        "223.255.255.0/25,125,223.255.255.1,223.255.255.2,223.255.255.126"
    })
    void podsHaveAllButTheNetworksTheGatewaysAndTheBroadcastAddress(
            String text, int capacity, String gateway, String first, String last) {
        NodeCidr cidr = NodeCidr.parse(text);
        assertThat(cidr).hasToString(text);
        assertThat(cidr.capacity()).isEqualTo(capacity);
        assertThat(cidr.gateway()).isEqualTo(gateway);
        assertThat(cidr.address(cidr.pods().start()).host()).isEqualTo(first);
        assertThat(cidr.address(cidr.pods().end()).host()).isEqualTo(last);
        assertThat(cidr.contains(cidr.address(cidr.pods().end()))).isTrue();
        assertThat(cidr.contains(Address.parse(gateway + "/32"))).isFalse();
        assertThat(cidr.contains(Address.parse("10.0.2.7/24"))).isFalse();
        assertThat(cidr.contains(Address.parse("fd00::2/64"))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.1.5/24", "10.0.0.0/8", "10.0.1.0/31", "fd00::/64", "nonsense", "10.0.1.0"})
    void whatIsNoNodesSubnetIsRefused(String text) {
        assertThatThrownBy(() -> NodeCidr.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theClusterSaysWhichItIsAndWhatIsMissingIsSaid() throws Exception {
        try (FakeApiServer server = new FakeApiServer();
                ApiServerClient calls = server.calls(RequestListener.NONE)) {
            ClusterReader question = new ClusterReader(calls, "node-1");
            assertThatThrownBy(() -> question.podCidr().get(30, SECONDS))
                    .hasMessageContaining("there is no node node-1");
            NodeBuilder node = new NodeBuilder()
                    .withNewMetadata()
                    .withName("node-1")
                    .endMetadata()
                    .withNewSpec()
                    .endSpec();
            server.client().resource(node.build()).create();
            assertThatThrownBy(() -> question.podCidr().get(30, SECONDS)).hasMessageContaining("has no pod CIDR yet");
            server.client()
                    .resource(node.editSpec()
                            .withPodCIDRs(List.of("fd00::/64"))
                            .endSpec()
                            .build())
                    .update();
            assertThatThrownBy(() -> question.podCidr().get(30, SECONDS))
                    .hasMessageContaining("no IPv4 one among fd00::/64");
            server.client()
                    .resource(node.editSpec()
                            .withPodCIDRs(List.of("fd00::/64", "10.0.1.0/24"))
                            .endSpec()
                            .build())
                    .update();
            assertThat(question.podCidr().get(30, SECONDS)).hasToString("10.0.1.0/24");
        }
    }
}

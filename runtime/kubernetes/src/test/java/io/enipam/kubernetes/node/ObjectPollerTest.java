package io.enipam.kubernetes.node;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.api.RequestListener;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ObjectPollerTest {
    private final FakeApiServer server = new FakeApiServer();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final ApiServerClient calls = server.calls(RequestListener.NONE);
    private final ObjectPoller reader = new ObjectPoller(calls);

    @AfterEach
    void close() {
        calls.close();
        server.close();
    }

    @Test
    void aNodeIsReadWithItsLabelsFromTheServersCache() throws Exception {
        server.client()
                .resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName("node-1")
                        .addToLabels("terway-config", "gpu-nodes")
                        .endMetadata()
                        .build())
                .create();
        server.answers(line -> {
            asked.add(line);
            return Optional.empty();
        });

        NodeLabels sheet = reader.node("node-1").get(30, SECONDS).orElseThrow();

        assertThat(sheet.labels()).containsEntry("terway-config", "gpu-nodes");
        assertThat(asked).containsExactly("GET /api/v1/nodes/node-1?resourceVersion=0");
    }

    @Test
    void whatIsNotThereIsNoFailureAndWhatIsRefusedIsOne() throws Exception {
        assertThat(reader.node("node-1").get(30, SECONDS)).isEmpty();
        assertThat(reader.configMap("kube-system", "gpu-nodes").get(30, SECONDS))
                .isEmpty();
        server.answers(line -> Optional.of(FakeApiServer.refusal(403, "Forbidden", "configmaps is forbidden")));

        assertThatThrownBy(() -> reader.configMap("kube-system", "gpu-nodes").get(30, SECONDS))
                .hasMessageContaining("GET configmap kube-system/gpu-nodes: 403, not allowed");
    }

    @Test
    void aConfigMapHasAnotherVersionOnceSomebodyHasWrittenIt() throws Exception {
        server.client().resource(map(Map.of("eni_conf", "{}"))).create();
        ConfigMapSnapshot first =
                reader.configMap("kube-system", "gpu-nodes").get(30, SECONDS).orElseThrow();
        server.client()
                .resource(map(Map.of("eni_conf", "{\"max_pool_size\": 9}")))
                .update();

        ConfigMapSnapshot second =
                reader.configMap("kube-system", "gpu-nodes").get(30, SECONDS).orElseThrow();

        assertThat(first.data()).containsEntry("eni_conf", "{}");
        assertThat(second.data()).containsEntry("eni_conf", "{\"max_pool_size\": 9}");
        assertThat(second.version()).isNotEqualTo(first.version());
    }

    private static ConfigMap map(Map<String, String> data) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("kube-system")
                .withName("gpu-nodes")
                .endMetadata()
                .withData(data)
                .build();
    }
}

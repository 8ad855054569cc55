package io.enipam.kubernetes.node;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.api.ApiServerClient.RequestListener;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterReaderTest {
    private static final String BOOT_ID = "5a2e0a3c-3b9f-4f5e-9f68-6a8c4f1e7d21";

    @TempDir
    private Path dir;

    private final FakeApiServer server = new FakeApiServer();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final ApiServerClient calls = server.calls(RequestListener.NONE);
    private final ClusterReader reader = new ClusterReader(calls, "node-1");

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

        Map<String, String> labels = reader.labels().get(30, SECONDS).orElseThrow();

        assertThat(labels).containsEntry("terway-config", "gpu-nodes");
        assertThat(asked).containsExactly("GET /api/v1/nodes/node-1?resourceVersion=0");
    }

    @Test
    void whatIsNotThereIsNoFailureAndWhatIsRefusedIsOne() throws Exception {
        assertThat(reader.labels().get(30, SECONDS)).isEmpty();
        assertThat(reader.configMap("kube-system", "gpu-nodes").get(30, SECONDS))
                .isEmpty();
        server.answers(line -> Optional.of(FakeApiServer.refusal(403, "Forbidden", "configmaps is forbidden")));

        assertThatThrownBy(() -> reader.configMap("kube-system", "gpu-nodes").get(30, SECONDS))
                .hasMessageContaining("GET configmap kube-system/gpu-nodes: 403, not allowed");
    }

    @Test
    void aConfigMapIsReadAsItWasWrittenLast() throws Exception {
        server.client().resource(map(Map.of("eni_conf", "{}"))).create();
        Map<String, String> first =
                reader.configMap("kube-system", "gpu-nodes").get(30, SECONDS).orElseThrow();
        server.client()
                .resource(map(Map.of("eni_conf", "{\"max_pool_size\": 9}")))
                .update();

        Map<String, String> second =
                reader.configMap("kube-system", "gpu-nodes").get(30, SECONDS).orElseThrow();

        assertThat(first).containsEntry("eni_conf", "{}");
        assertThat(second).containsEntry("eni_conf", "{\"max_pool_size\": 9}");
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

    @Test
    void aNameThatNoNodeHasIsNoGroundToTakeAnything() {
        assertThatThrownBy(() -> vouch("iz2ze-1"))
                .cause()
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the API server has no node 'iz2ze-1': set node.name");
    }

    @Test
    void aNameThatAnotherMachineHasIsNoneEither() throws IOException {
        create("node-1", "00000000-3b9f-4f5e-9f68-6a8c4f1e7d21");
        assertThatThrownBy(() -> vouch("node-1")).cause().hasMessageContaining("is another machine");
    }

    @Test
    void theMachineItselfIsKnownByItsKernelAndWhereNobodyTellsThatByItsName() throws IOException {
        create("node-1", BOOT_ID);
        create("node-2", null);
        assertThatCode(() -> vouch("node-1")).doesNotThrowAnyException();
        assertThatCode(() -> vouch("node-2")).doesNotThrowAnyException();
    }

    private void vouch(String node) throws Exception {
        Path bootId = Files.writeString(dir.resolve("boot_id"), BOOT_ID + "\n");
        new ClusterReader(calls, node).verifyIdentity(bootId).get(30, SECONDS);
    }

    private void create(String name, String bootId) {
        server.client()
                .resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withNewStatus()
                        .withNewNodeInfo()
                        .withBootID(bootId)
                        .endNodeInfo()
                        .endStatus()
                        .build())
                .create();
    }
}

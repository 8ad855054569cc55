package io.enipam.config.dynamic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.config.ConfigFile;
import io.enipam.config.ConfigLoader;
import io.enipam.config.DaemonConfig;
import io.enipam.config.KnownPlugins;
import io.enipam.config.dynamic.DynamicConfig.LastGoodConfigFile;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.api.ApiServerClient.RequestListener;
import io.enipam.kubernetes.node.ClusterReader;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is in force from the start on, whether the API server answers or not. */
class DynamicConfigStartTest {
    @TempDir
    private Path directory;

    private final FakeApiServer server = new FakeApiServer();
    private final ApiServerClient calls = server.calls(RequestListener.NONE);
    private final RecordedEvents events = new RecordedEvents(new VirtualTime());
    private final List<DynamicConfig> begun = new ArrayList<>();

    @AfterEach
    void close() {
        begun.forEach(DynamicConfig::close);
        calls.close();
        server.close();
    }

    @Test
    void aStartWithoutTheApiServerGoesByTheLastGoodCopyWhichNobodyElseMayRead() throws IOException {
        make("gpu", "{\"max_pool_size\": 9}");
        start().close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy())))
                .isEqualTo("rw-------");
        away(true);

        LiveConfig live = start().live();

        assertThat(live.now().engine().watermarks().maxIdle()).isEqualTo(9);
        assertThat(entry(live, "pool.max_idle").source()).isEqualTo("configmap kube-system/gpu");
        assertThat(live.conditions()).singleElement().asString().contains("the last good copy is in force", "503");
        assertThat(events.types()).contains("ConfigUnread");
        away(false);
        await().atMost(Duration.ofSeconds(60)).until(() -> live.conditions().isEmpty());
        assertThat(live.now().engine().watermarks().maxIdle()).isEqualTo(9);
    }

    @Test
    void withoutTheApiServerAndWithoutACopyTheFilesAloneAreInForceUntilItAnswers() throws IOException {
        make("gpu", "{\"min_pool_size\": 9, \"max_pool_size\": 8, \"max_eni\": 1}");
        away(true);
        LiveConfig live = start().live();
        assertThat(live.now().engine().watermarks().maxIdle()).isEqualTo(4);
        assertThat(live.conditions()).singleElement().asString().contains("the files alone are in force");

        away(false);

        await().atMost(Duration.ofSeconds(60))
                .until(() -> live.now().engine().watermarks().maxIdle() == 9);
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            assertThat(live.conditions())
                    .as("what is of a start alone came too late")
                    .containsExactly("a restart of the daemon is wanted for max_eni=1 (configmap kube-system/gpu)");
            assertThat(events.types())
                    .as("the upper watermark was raised to the lower one")
                    .contains("ConfigAdjusted");
        });
    }

    @Test
    void aMapThatIsRefusedAtTheStartLeavesTheOneBeforeItInForce() throws IOException {
        make("gpu", "{\"max_pool_size\": 9}");
        start().close();
        make("gpu", "[]");

        LiveConfig live = start().live();

        assertThat(live.now().engine().watermarks().maxIdle()).isEqualTo(9);
        assertThat(live.conditions())
                .singleElement()
                .asString()
                .contains("is refused, and what was in force stays", "the top level is not a map of settings");
    }

    @Test
    void aCopyOfAnotherNodesConfigurationIsNotUsedAndOneThatIsBrokenIsTold() throws IOException {
        make("gpu", "{\"max_pool_size\": 9}");
        start().close();
        away(true);
        assertThat(start("node-2").live().now().engine().watermarks().maxIdle()).isEqualTo(4);
        Files.writeString(copy(), "{\"source\":");

        LiveConfig live = start().live();

        assertThat(live.now().engine().watermarks().maxIdle()).isEqualTo(4);
        assertThat(live.conditions())
                .anyMatch(line -> line.startsWith("the last good copy of the ConfigMap is not used"));
    }

    @Test
    void aLabelThatNamesNoConfigMapIsToldAndTheFilesAloneAreInForce() throws IOException {
        label("../secrets");
        LiveConfig live = start().live();
        assertThat(live.now().engine().watermarks().maxIdle()).isEqualTo(4);
        assertThat(live.conditions())
                .containsExactly(
                        "the node's label terway-config names the ConfigMap kube-system/../secrets, and there is"
                                + " none of that name: the files alone are in force; make it or take the label away");
    }

    @Test
    void aNodeOfAnotherNameThanTheApiServerKnowsIsToldAndNotPassedOver() throws IOException {
        LiveConfig live = start("typo-1").live();

        assertThat(live.conditions())
                .singleElement()
                .asString()
                .contains("knows no node 'typo-1'", "set node.name, or NODE_NAME");
        assertThat(events.types()).containsExactly("NodeUnknown");
    }

    @Test
    void aNodeWithoutTheLabelIsAskedForAndNothingElseIs() throws IOException {
        label("");
        List<String> asked = new CopyOnWriteArrayList<>();
        server.answers(line -> {
            asked.add(line);
            return Optional.empty();
        });

        // nobody looks again meanwhile
        LiveConfig live = start("node-1", "1h").live();

        assertThat(live.conditions()).isEmpty();
        assertThat(asked)
                .containsExactlyInAnyOrder(
                        "GET /api/v1/nodes/node-1?resourceVersion=0",
                        "GET /api/v1/namespaces/kube-system/configmaps/kubeadm-config");
    }

    @Test
    void configMapsAreLookedForWhereTheDaemonLivesUnlessSomebodySaysOtherwise() throws IOException {
        Path secrets = Files.createDirectories(directory.resolve("secrets"));
        assertThat(ClusterConfigClient.namespace("", Map.of(), secrets)).isEqualTo("kube-system");
        Files.writeString(secrets.resolve("namespace"), "network\n");
        assertThat(ClusterConfigClient.namespace("", Map.of(), secrets)).isEqualTo("network");
        assertThat(ClusterConfigClient.namespace("", Map.of("POD_NAMESPACE", "pods"), secrets))
                .isEqualTo("pods");
        assertThat(ClusterConfigClient.namespace("mine", Map.of("POD_NAMESPACE", "pods"), secrets))
                .isEqualTo("mine");
    }

    private DynamicConfig start() throws IOException {
        return start("node-1");
    }

    private DynamicConfig start(String node) throws IOException {
        return start(node, "1s");
    }

    private DynamicConfig start(String node, String interval) throws IOException {
        Path eniJson = Files.writeString(
                directory.resolve("eni.json"), "{\"min_pool_size\": 1, \"max_pool_size\": 4, \"max_eni\": 2}");
        Path yaml =
                Files.writeString(directory.resolve("enipam.yaml"), "kubernetes: {config_interval: " + interval + "}");
        DaemonConfig files = ConfigLoader.load(
                List.of(ConfigFile.named(eniJson), ConfigFile.named(yaml)), true, Map.of(), KnownPlugins.none());
        DynamicConfig dynamic = new DynamicConfig(
                files,
                Optional.of(new ClusterConfigClient(new ClusterReader(calls, node), "kube-system")),
                new LastGoodConfigFile(copy(), node),
                new SplittableRandom(1),
                events);
        begun.add(dynamic);
        dynamic.begin();
        return dynamic;
    }

    private Path copy() {
        return directory.resolve("config-map.json");
    }

    private void away(boolean away) {
        server.answers(line -> away
                ? Optional.of(FakeApiServer.refusal(503, "ServiceUnavailable", "the server is starting"))
                : Optional.empty());
    }

    private void make(String name, String eniConf) {
        label(name);
        server.client()
                .resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withNamespace("kube-system")
                        .withName(name)
                        .endMetadata()
                        .addToData("eni_conf", eniConf)
                        .build())
                .createOr(existing -> existing.update());
    }

    private void label(String name) {
        var node = new NodeBuilder().withNewMetadata().withName("node-1");
        server.client()
                .resource((name.isEmpty() ? node : node.addToLabels("terway-config", name))
                        .endMetadata()
                        .build())
                .createOr(existing -> existing.update());
    }

    private static DaemonConfig.Entry entry(LiveConfig live, String key) {
        return live.now().entries().stream()
                .filter(entry -> entry.key().equals(key))
                .findFirst()
                .orElseThrow();
    }
}

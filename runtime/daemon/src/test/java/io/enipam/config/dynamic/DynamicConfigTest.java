package io.enipam.config.dynamic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.kubernetes.testing.CuttableProxy;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.kubernetes.testing.Manifests;
import io.enipam.platform.testing.Kubeconfig;
import io.enipam.v1.ConfigEntry;
import io.enipam.v1.Eni;
import io.enipam.v1.GetConfigRequest;
import io.enipam.v1.GetStatusReply;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole daemon whose node's label names a ConfigMap. */
class DynamicConfigTest {
    private static final String MAP = "configmap kube-system/gpu";

    @TempDir
    private Path root;

    private final FakeApiServer server = new FakeApiServer();
    private CuttableProxy line;
    private LivingDaemon daemon;

    @BeforeEach
    void prepare() throws IOException {
        line = server.line();
        server.client().resource(Manifests.node("node-1").build()).create();
        write("etc/eni/eni.json", "{\"version\": \"1\", \"min_pool_size\": 1, \"max_pool_size\": 3, \"max_eni\": 2}");
    }

    @AfterEach
    void stop() throws IOException {
        daemon.close();
        line.close();
        server.close();
    }

    @Test
    void aLabelThatAppearsChangesTheWatermarksOfADaemonThatRunsAndOneThatGoesBringsTheFilesBack() throws IOException {
        start();
        patiently().until(() -> idle() == 1);

        say(Map.of("eni_conf", "{\"min_pool_size\": 7, \"max_pool_size\": 9}"));
        label("gpu");

        patiently().until(() -> idle() == 7);
        assertThat(entry("pool.min_idle").getValue()).isEqualTo("7");
        assertThat(entry("pool.max_idle").getSource()).isEqualTo(MAP);
        assertThat(entry("max_eni").getSource()).endsWith("eni.json");

        say(Map.of("enipam.yaml", "pool: {min_idle: 4, max_idle: 5}"));
        patiently().until(() -> idle() == 5);

        label("");
        patiently().until(() -> idle() == 3);
        assertThat(entry("pool.min_idle").getSource()).endsWith("eni.json");
        patiently()
                .untilAsserted(() ->
                        assertThat(root.resolve("root/lib/config-map.json")).doesNotExist());
    }

    @Test
    void aMapThatIsWrongIsRefusedAsAWholeAndTheEarlierOneStaysUntilItIsMended() throws IOException {
        say(Map.of("eni_conf", "{\"min_pool_size\": 5, \"max_pool_size\": 6}"));
        label("gpu");
        start();
        patiently().until(() -> idle() == 5);

        say(Map.of("eni_conf", "{\"min_pool_size\": 2, \"max_pool_size\": \"many\", \"access_secret\": \"S-1\"}"));

        patiently().until(() -> !status().getConditionsList().isEmpty());
        assertThat(status().getConditionsList())
                .singleElement()
                .asString()
                .contains(
                        MAP + " is refused, and what was in force stays",
                        "max_pool_size: 'many' is not allowed",
                        "access_secret: a ConfigMap may not change it")
                .doesNotContain("S-1");
        assertThat(entry("pool.min_idle").getValue()).isEqualTo("5");
        patiently()
                .untilAsserted(() -> assertThat(eventsOfTheNode())
                        .filteredOn(event -> event.getReason().equals("ConfigError"))
                        .extracting(Event::getMessage)
                        .anyMatch(message -> message.contains("is refused")));

        say(Map.of("eni_conf", "{\"min_pool_size\": 2, \"max_pool_size\": 6}"));
        patiently().until(() -> status().getConditionsList().isEmpty());
        assertThat(entry("pool.min_idle").getValue()).isEqualTo("2");
    }

    @Test
    void whatNeedsARestartIsSaidWithItsValueAndIsInForceAfterIt() throws IOException {
        start();
        say(Map.of("eni_conf", "{\"max_eni\": 1, \"max_pool_size\": 4}"));
        label("gpu");

        patiently().until(() -> entry("pool.max_idle").getValue().equals("4"));
        assertThat(entry("max_eni")).satisfies(shown -> {
            assertThat(shown.getValue()).isEqualTo("2");
            assertThat(shown.getPending().getValue()).isEqualTo("1");
            assertThat(shown.getPending().getSource()).isEqualTo(MAP);
        });
        patiently()
                .untilAsserted(() -> assertThat(status().getConditionsList())
                        .containsExactly("a restart of the daemon is wanted for max_eni=1 (" + MAP + ")"));

        daemon.close();
        start();
        assertThat(entry("max_eni").getValue()).isEqualTo("1");
        assertThat(entry("max_eni").hasPending()).isFalse();
        assertThat(status().getConditionsList()).isEmpty();
    }

    @Test
    void theNextEnisAreMadeInTheVswitchesOfTheMapAndServiceAddressesThatAreAVswitchsAreRefused() throws IOException {
        write("etc/eni/eni.json", "{\"vswitches\": {\"cn-hangzhou-i\": [\"vsw-a\"]}, \"max_pool_size\": 40}");
        more("emulator: {vswitches: {vsw-a: 10.0.0.0/24, vsw-b: 10.0.1.0/24}}\n");
        server.client()
                .resource(new ConfigMapBuilder(map("kubeadm-config"))
                        .addToData("ClusterConfiguration", "networking: {serviceSubnet: 10.96.0.0/12}")
                        .build())
                .create();
        daemon = LivingDaemon.onTheEmulator(root.resolve("root"));
        patiently().until(() -> idle() == 2);
        assertThat(entry("service_cidr")).satisfies(shown -> {
            assertThat(shown.getValue()).isEqualTo("10.96.0.0/12");
            assertThat(shown.getSource()).isEqualTo("configmap kube-system/kubeadm-config");
        });
        assertThat(status().getConditionsList()).isEmpty();

        say(
                Map.of(
                        "eni_conf",
                        "{\"min_pool_size\": 16, \"vswitches\": {\"cn-hangzhou-i\": [\"vsw-b\"]}, \"service_cidr\": \"10.0.0.0/16\"}"));
        label("gpu");

        patiently().until(() -> idle() == 16);
        assertThat(enis())
                .as("the first ENI is full, and the next is elsewhere")
                .contains("vsw-b");
        patiently()
                .untilAsserted(() -> assertThat(status().getConditionsList())
                        .singleElement()
                        .asString()
                        .contains("service_cidr 10.0.0.0/16 of " + MAP + " overlaps vSwitch vsw-b, 10.0.1.0/24"));
    }

    private void start() throws IOException {
        more("");
        daemon = LivingDaemon.start(root.resolve("root"));
    }

    private void more(String yaml) throws IOException {
        Path kubeconfig = Kubeconfig.write(root.resolve("kubeconfig"), line.port(), "secret");
        write(
                "etc/enipam/enipam.yaml",
                "node: {name: node-1}\nkubernetes: {use: 'on', config_interval: 1s, kubeconfig: " + kubeconfig + "}\n"
                        + yaml);
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve("root").resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private void say(Map<String, String> data) {
        server.client()
                .resource(new ConfigMapBuilder(map("gpu")).withData(data).build())
                .createOr(existing -> existing.update());
    }

    private static ConfigMap map(String name) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("kube-system")
                .withName(name)
                .endMetadata()
                .build();
    }

    private void label(String name) {
        server.client().nodes().withName("node-1").edit(node -> {
            var labels = new NodeBuilder(node).editMetadata();
            return name.isEmpty()
                    ? labels.removeFromLabels("terway-config").endMetadata().build()
                    : labels.addToLabels("terway-config", name).endMetadata().build();
        });
    }

    private GetStatusReply status() {
        return daemon.client().status();
    }

    private int idle() {
        return status().getPool().getCounts().getIdle();
    }

    private List<String> enis() {
        return daemon.client().enis().stream().map(Eni::getVswitch).toList();
    }

    private ConfigEntry entry(String key) {
        return daemon.client().inspect().getConfig(GetConfigRequest.getDefaultInstance()).getEntriesList().stream()
                .filter(entry -> entry.getKey().equals(key))
                .findFirst()
                .orElseThrow();
    }

    private List<Event> eventsOfTheNode() {
        return Stream.of("default", "kube-system")
                .flatMap(namespace -> server.client().v1().events().inNamespace(namespace).list().getItems().stream())
                .filter(event -> event.getInvolvedObject().getKind().equals("Node"))
                .toList();
    }

    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofSeconds(60));
    }
}

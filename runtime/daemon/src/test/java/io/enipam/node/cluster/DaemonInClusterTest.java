package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.kubernetes.testing.CuttableProxy;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.kubernetes.testing.Manifests;
import io.enipam.platform.testing.Kubeconfig;
import io.enipam.v1.DeletePodRequest;
import io.enipam.v1.PodInfo;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A whole daemon whose pods are an API server's. */
@Execution(ExecutionMode.CONCURRENT)
class DaemonInClusterTest {
    /** A watch that is cut while it opens is noticed after two to three minutes. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    private Path root;

    private final FakeApiServer server = new FakeApiServer();
    private CuttableProxy line;
    private LivingDaemon daemon;

    @BeforeEach
    void start() throws IOException {
        line = server.line();
        server.client().resource(Manifests.node("node-1").build()).create();
        Path kubeconfig = Kubeconfig.write(root.resolve("kubeconfig"), line.port(), "secret");
        Path yaml = root.resolve("root/etc/enipam/enipam.yaml");
        Files.createDirectories(yaml.getParent());
        Files.writeString(
                yaml,
                "node:\n  name: node-1\nkubernetes:\n  use: 'on'\n  kubeconfig: " + kubeconfig
                        + "\npool:\n  cool_down: 0s\nallocation:\n  timeout: 60s\n");
        Path json = root.resolve("root/etc/eni/eni.json");
        Files.createDirectories(json.getParent());
        Files.writeString(json, "{\"enable_patch_pod_ips\": true}");
        daemon = LivingDaemon.start(root.resolve("root"));
        await().atMost(Duration.ofSeconds(60))
                .until(() -> daemon.client().status().getCluster().getWatching());
    }

    @AfterEach
    void stop() throws IOException {
        daemon.close();
        line.close();
        server.close();
    }

    @Test
    void theAddressOfAPodThatWasDeletedByForceIsBackInThePoolWithNoDEL() {
        create("web-0");
        create("web-1");
        add("web-0");
        add("web-1");
        await().atMost(PATIENCE).until(() -> pods().size() == 2);

        server.client().resource(pod("web-0")).withGracePeriod(0).delete();

        await().atMost(PATIENCE).untilAsserted(() -> assertThat(leased()).containsExactly("default/web-1"));
    }

    @Test
    void aPodThatTheApiServerDoesNotKnowGetsNoAddress() {
        assertThatThrownBy(() -> add("nobody"))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessageContaining("pod default/nobody does not exist");
    }

    @Test
    void whileTheApiServerIsAwayAddsAndDelsGoOn() {
        create("web-0");
        add("web-0");
        line.cut();

        add("web-1");
        del("web-0");

        assertThat(leased()).containsExactly("default/web-1");
        create("web-1");
        line.mend();
        await().atMost(PATIENCE).until(() -> pods().stream().anyMatch(pod -> pod.contains("web-1")));
        assertThat(leased()).as("nobody was taken for gone meanwhile").containsExactly("default/web-1");
    }

    @Test
    void theClusterHearsWhatBecomesOfAPodAndHowTheNodeFares() {
        Pod made = create("web-0");
        add("web-0");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(events("default"))
                        .filteredOn(event -> event.getReason().equals("AllocIPSucceed"))
                        .singleElement()
                        .satisfies(event -> {
                            assertThat(event.getInvolvedObject().getName()).isEqualTo("web-0");
                            assertThat(event.getInvolvedObject().getUid())
                                    .isEqualTo(made.getMetadata().getUid());
                        }));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(server.client()
                                .nodes()
                                .withName("node-1")
                                .get()
                                .getStatus()
                                .getConditions())
                        .filteredOn(condition -> condition.getType().equals("SufficientIP"))
                        .extracting(NodeCondition::getStatus)
                        .containsExactly("True"));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(server.client()
                                .nodes()
                                .withName("node-1")
                                .get()
                                .getMetadata()
                                .getAnnotations())
                        .containsEntry("k8s.aliyun.com/max-available-ip", "30"));
    }

    @Test
    void anAnnotationThatTerwaysDaemonWouldHaveDiedOfIsAnEventOnThePodAndAnAddress() {
        server.client()
                .resource(new PodBuilder(pod("web-0"))
                        .editMetadata()
                        .addToAnnotations("k8s.aliyun.com/ingress-bandwidth", "100X")
                        .endMetadata()
                        .build())
                .create();
        add("web-0");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(events("default"))
                        .extracting(Event::getReason, Event::getType)
                        .contains(org.assertj.core.groups.Tuple.tuple("ConfigError", "Warning")));
        assertThat(leased()).containsExactly("default/web-0");
    }

    @Test
    void aPodThatWantsAnEniOfItsOwnWherePodsShareThemGetsAnAddressAndIsToldSo() {
        server.client()
                .resource(new PodBuilder(pod("web-0"))
                        .editMetadata()
                        .addToAnnotations("k8s.aliyun.com/ENI", "true")
                        .endMetadata()
                        .build())
                .create();
        add("web-0");
        assertThat(leased()).containsExactly("default/web-0");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(events("default"))
                        .filteredOn(event -> event.getReason().equals("ConfigError"))
                        .singleElement()
                        .satisfies(event -> assertThat(event.getMessage())
                                .contains("asks for an ENI of its own", "it gets an address of one", "ENIOnly")));
    }

    @Test
    void theAddressesOfAPodAreWrittenToIt() {
        create("web-0");
        String ip = add("web-0");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(server.client()
                                .pods()
                                .inNamespace("default")
                                .withName("web-0")
                                .get()
                                .getMetadata()
                                .getAnnotations())
                        .containsEntry("k8s.aliyun.com/pod-ips", ip));
    }

    @Test
    void nobodyDeletesPodsOfAClusterThroughTheDaemon() {
        create("web-0");
        assertThatThrownBy(() -> daemon.client()
                        .control()
                        .deletePod(DeletePodRequest.newBuilder()
                                .setPod("default/web-0")
                                .build()))
                .hasMessageContaining("cannot be deleted here");
    }

    /** The mock holds its answer back while it still writes to a watch that was cut; the client asks again then, and meets its pod. */
    private Pod create(String name) {
        return server.client().resource(pod(name)).createOr(NonDeletingOperation::update);
    }

    private static Pod pod(String name) {
        return Manifests.running(name).build();
    }

    /** @return the pod's address */
    @CanIgnoreReturnValue
    private String add(String name) {
        return daemon.client()
                .add("default/" + name)
                .getResource()
                .getAddresses(0)
                .replaceFirst("/.*", "");
    }

    private void del(String name) {
        daemon.client().del("default/" + name);
    }

    private List<String> pods() {
        return listed().stream().map(PodInfo::getPod).toList();
    }

    private List<String> leased() {
        return listed().stream()
                .filter(pod -> pod.getLeasesCount() > 0)
                .map(PodInfo::getPod)
                .toList();
    }

    private List<PodInfo> listed() {
        return daemon.client().pods();
    }

    private List<Event> events(String namespace) {
        return server.client().v1().events().inNamespace(namespace).list().getItems();
    }
}

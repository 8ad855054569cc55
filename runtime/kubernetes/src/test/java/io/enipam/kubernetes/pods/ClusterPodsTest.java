package io.enipam.kubernetes.pods;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.model.Pod;
import io.enipam.kubernetes.api.ApiCalls;
import io.enipam.kubernetes.testing.ApiServer;
import io.enipam.sdk.PodRef;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClusterPodsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ApiServer server = new ApiServer();
    private final KubernetesClient client = server.client();
    private final Queue<String> told = new ConcurrentLinkedQueue<>();
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private final ManifestReader reader = new ManifestReader(Set.of(), Duration.ofMinutes(5));
    private ApiCalls calls;
    private PodWatch watch;
    private ClusterPods pods;

    @BeforeEach
    void connect() {
        calls = server.calls((request, code) -> requests.add(request + " " + code));
        watch = new PodWatch(calls, Manifests.NODE, reader, new PodListener() {
            @Override
            public void seen(Manifest manifest) {
                told.add("seen " + manifest.pod().ref());
            }

            @Override
            public void over(PodRef pod, String why) {
                told.add("over " + pod + ": " + why);
            }

            @Override
            public void reachable(boolean reachable, String why) {
                told.add("reachable " + reachable);
            }
        });
        pods = new ClusterPods(calls, watch, reader, Manifests.NODE);
    }

    @AfterEach
    void disconnect() {
        watch.close();
        calls.close();
        server.close();
    }

    @Test
    void a_pod_is_looked_up_uncached() throws Exception {
        String uid = client.resource(Manifests.running("web-0").build())
                .create()
                .getMetadata()
                .getUid();
        assertThat(find("web-0")).map(Pod::uid).contains(uid);
        client.resource(Manifests.running("web-0").build()).delete();
        assertThat(find("web-0")).isEmpty();
        assertThat(requests).containsExactly("GET pods 200", "GET pods 404");
        client.resource(Manifests.running("web-0").build()).create();
        assertThat(find("web-0")).map(Pod::uid).isPresent().get().isNotEqualTo(uid);
    }

    @Test
    void a_pod_of_that_name_on_another_node_is_gone_from_here() throws Exception {
        client.resource(Manifests.running("db-0")
                        .editSpec()
                        .withNodeName("node-2")
                        .endSpec()
                        .build())
                .create();
        assertThat(find("db-0")).isEmpty();
    }

    @Test
    void the_list_is_refused_until_the_server_has_told_it() {
        assertThatThrownBy(() -> pods.list().toCompletableFuture().get(30, SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not listed yet");
    }

    @Test
    void the_list_follows_what_happens_without_another_request() throws Exception {
        client.resource(Manifests.running("web-0").build()).create();
        client.resource(Manifests.running("proxy")
                        .editSpec()
                        .withHostNetwork(true)
                        .endSpec()
                        .build())
                .create();
        watch.begin();
        await().atMost(PATIENCE).until(watch::hasListed);
        assertThat(names()).containsExactly("default/web-0");
        client.resource(Manifests.running("web-1").build()).create();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(names()).containsExactlyInAnyOrder("default/web-0", "default/web-1"));
        client.resource(Manifests.running("web-0").build()).delete();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(told).contains("over default/web-0: it was deleted"));
        assertThat(names()).containsExactly("default/web-1");
        assertThat(requests).containsOnlyOnce("LIST pods 200");
        assertThat(told).contains("reachable true").noneMatch(line -> line.contains("proxy"));
    }

    @Test
    void a_pod_that_ran_to_its_end_is_told_once_it_has() {
        client.resource(Manifests.phase("job-1", "Running")).create();
        watch.begin();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(told).contains("seen default/job-1"));
        client.resource(Manifests.phase("job-1", "Succeeded")).update();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(told).contains("over default/job-1: it has finished"));
    }

    private Optional<Pod> find(String name) throws Exception {
        return pods.find(new PodRef("default", name)).toCompletableFuture().get(30, SECONDS);
    }

    private List<String> names() throws Exception {
        return pods.list().toCompletableFuture().get(30, SECONDS).stream()
                .map(pod -> pod.ref().toString())
                .toList();
    }
}

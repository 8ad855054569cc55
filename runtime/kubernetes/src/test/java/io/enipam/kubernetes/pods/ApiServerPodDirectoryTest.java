package io.enipam.kubernetes.pods;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.model.Pod;
import io.enipam.engine.port.PodDirectory.PodLookupResult;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.pods.ManifestParser.StickRule;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.kubernetes.testing.Manifests;
import io.enipam.kubernetes.testing.RecordedPods;
import io.enipam.sdk.PodRef;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.mockwebserver.http.MockResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ApiServerPodDirectoryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final FakeApiServer server = new FakeApiServer();
    private final KubernetesClient client = server.client();
    private final Queue<String> told = new ConcurrentLinkedQueue<>();
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private final ManifestParser reader = new ManifestParser(() -> new StickRule(Set.of(), Duration.ofMinutes(5)));
    private ApiServerClient calls;
    private PodInformer watch;
    private ApiServerPodDirectory pods;

    @BeforeEach
    void connect() {
        calls = server.calls((request, code) -> requests.add(request + " " + code));
        watch = new PodInformer(calls, Manifests.NODE, reader, new RecordedPods(told));
        pods = new ApiServerPodDirectory(calls, watch, reader, Manifests.NODE);
    }

    @AfterEach
    void disconnect() {
        watch.close();
        calls.close();
        server.close();
    }

    @Test
    void aPodIsLookedUpUncached() throws Exception {
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
    void aPodOfThatNameOnAnotherNodeIsToldAsThatAndNotAsGone() throws Exception {
        client.resource(Manifests.running("db-0")
                        .editSpec()
                        .withNodeName("node-2")
                        .endSpec()
                        .build())
                .create();
        assertThat(locate("db-0"))
                .isInstanceOfSatisfying(
                        PodLookupResult.OnOtherNode.class,
                        there -> assertThat(there.node()).isEqualTo("node-2"));
        assertThatThrownBy(() -> find("db-0"))
                .cause()
                .isInstanceOf(IOException.class)
                .hasMessageContaining("it is on node node-2, and this node is called node-1");
    }

    @Test
    void a404ThatIsNoApiServersWordOnAPodTakesNobodyAway() {
        server.answers(line ->
                Optional.of(new MockResponse().setResponseCode(404).setBody("<html>default backend - 404</html>")));
        assertThatThrownBy(() -> locate("web-0")).cause().hasMessageContaining("404, but not by an API server");
        server.answers(line -> Optional.of(FakeApiServer.refusal(404, "NotFound", "the server could not find it")));
        assertThatThrownBy(() -> locate("web-0")).cause().hasMessageContaining("404, but not by an API server");
        server.answers(line -> Optional.of(FakeApiServer.notFound("namespaces", "default")));
        assertThatThrownBy(() -> locate("web-0")).cause().hasMessageContaining("404, but not by an API server");
        server.answers(
                line -> Optional.of(new MockResponse().setResponseCode(200).setBody("{}")));
        assertThatThrownBy(() -> locate("web-0")).cause().hasMessageContaining("what came is not this pod");
    }

    @Test
    void aMirrorPodHasTheUidThatItsStaticPodHasAndNoWatchTellsThatItIsOver() {
        String uid = "7b1e6d2f7a4c4b0e9d3f5a6c8e0b1d2f";
        client.resource(Manifests.annotated("proxy-node-1", Map.of("kubernetes.io/config.mirror", uid)))
                .create();
        client.resource(Manifests.running("web-0").build()).create();
        watch.start();
        await().atMost(PATIENCE).until(watch::hasSynced);
        assertThat(watch.find(new PodRef("default", "proxy-node-1")))
                .map(Pod::uid)
                .contains(uid);
        // the mock tells a watch that opens later of no deletion
        await().atMost(PATIENCE).until(watch::isOpen);
        server.settle();
        client.resource(Manifests.running("proxy-node-1").build()).delete();
        client.resource(Manifests.running("web-0").build()).delete();
        await().atMost(PATIENCE).until(() -> told.contains("over default/web-0: it was deleted"));
        assertThat(told).noneMatch(line -> line.startsWith("over default/proxy"));
    }

    @Test
    void aWatchThatDoesNotHearGivesNoList() throws Exception {
        client.resource(Manifests.running("web-0").build()).create();
        watch.start();
        await().atMost(PATIENCE).until(watch::isCurrent);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(names()).containsExactly("default/web-0"));
        // what was listed may be told meanwhile, and then it hears again
        await().atMost(PATIENCE).untilAsserted(() -> {
            watch.connected(false);
            assertThat(told).contains("reachable false");
            assertThatThrownBy(this::names).cause().hasMessageContaining("the connection of the watch broke");
        });
        watch.connected(true);
        assertThat(names()).containsExactly("default/web-0");
    }

    @Test
    void theListIsRefusedUntilTheServerHasToldIt() {
        assertThatThrownBy(() -> pods.list().toCompletableFuture().get(30, SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not listed yet");
    }

    @Test
    void theListFollowsWhatHappensWithoutAnotherRequest() throws Exception {
        client.resource(Manifests.running("web-0").build()).create();
        client.resource(Manifests.running("proxy")
                        .editSpec()
                        .withHostNetwork(true)
                        .endSpec()
                        .build())
                .create();
        watch.start();
        await().atMost(PATIENCE).until(watch::isCurrent);
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
    void aPodThatRanToItsEndIsToldOnceItHas() {
        client.resource(Manifests.phase("job-1", "Running")).create();
        watch.start();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(told).contains("seen default/job-1"));
        client.resource(Manifests.phase("job-1", "Succeeded")).update();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(told).contains("over default/job-1: it has finished"));
    }

    private Optional<Pod> find(String name) throws Exception {
        return pods.find(new PodRef("default", name)).toCompletableFuture().get(30, SECONDS);
    }

    private PodLookupResult locate(String name) throws Exception {
        return pods.locate(new PodRef("default", name)).toCompletableFuture().get(30, SECONDS);
    }

    private List<String> names() throws Exception {
        return pods.list().toCompletableFuture().get(30, SECONDS).stream()
                .map(pod -> pod.ref().toString())
                .toList();
    }
}

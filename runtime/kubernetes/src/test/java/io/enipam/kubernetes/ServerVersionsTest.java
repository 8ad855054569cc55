package io.enipam.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.model.Pod;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.events.EventReporter;
import io.enipam.kubernetes.events.EventReporter.EventNotice;
import io.enipam.kubernetes.node.NodeStatusWriter;
import io.enipam.kubernetes.pods.ApiServerPodDirectory;
import io.enipam.kubernetes.pods.ManifestParser;
import io.enipam.kubernetes.pods.ManifestParser.StickRule;
import io.enipam.kubernetes.pods.PodInformer;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.kubernetes.testing.RecordedPods;
import io.enipam.sdk.PodRef;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.mockwebserver.http.MockResponse;
import io.fabric8.mockwebserver.http.Response;
import io.fabric8.mockwebserver.http.WebSocket;
import io.fabric8.mockwebserver.http.WebSocketListener;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Answers as an API server of 1.20 writes them, with self links and without what came since, and as one of some year to come
 * may: with fields, phases and conditions that nobody here has heard of. Nothing asks which version it is.
 */
class ServerVersionsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final PodRef WEB = new PodRef("default", "web-0");

    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private final Queue<String> told = new ConcurrentLinkedQueue<>();

    @ParameterizedTest
    @ValueSource(strings = {"1.20", "newest"})
    void lookupWatchEventsAndTheNodesConditionWorkWithServersFrom120On(String version) throws Exception {
        ManifestParser reader = new ManifestParser(() -> new StickRule(Set.of(), Duration.ofMinutes(5)));
        try (FakeApiServer server = new FakeApiServer();
                ApiServerClient calls = server.calls((request, code) -> requests.add(request + " " + code));
                PodInformer watch = new PodInformer(calls, "node-1", reader, new RecordedPods(told));
                EventReporter events = new EventReporter(calls, new VirtualTime(), "node-1")) {
            server.answers(line -> Optional.of(answer(version, line)));

            Optional<Pod> found = new ApiServerPodDirectory(calls, watch, reader, "node-1")
                    .find(WEB)
                    .toCompletableFuture()
                    .get(60, SECONDS);
            assertThat(found).hasValueSatisfying(ServerVersionsTest::assertWeb);

            watch.start();
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(told)
                            .contains(
                                    "seen default/web-0",
                                    "over batch/job-x7k2p: it has finished",
                                    "over default/web-0: it was deleted")
                            .noneMatch(line -> line.contains("kube-proxy")));

            events.enqueue(EventNotice.ofPod(WEB, "u", false, "AllocIPSucceed", "address 192.168.1.20 lent"));
            NodeStatusWriter node = new NodeStatusWriter(calls, new VirtualTime(), "node-1");
            node.writeSufficient(true, "there are addresses", new VirtualTime().now())
                    .get(60, SECONDS);
            node.writeCapacity(30).get(60, SECONDS);
            await().atMost(PATIENCE).until(() -> requests.contains("POST events 201"));
            assertThat(events.dropped().lost()).isZero();
            assertThat(requests).as("nobody asks for what he patches").noneMatch(line -> line.startsWith("GET nodes"));
            assertThat(requests)
                    .contains("PATCH nodes/status 200", "PATCH nodes 200")
                    .noneMatch(line -> line.contains("other"));
        }
    }

    private static void assertWeb(Pod pod) {
        assertThat(pod.uid()).isEqualTo("2a6d1a1c-7a31-4a1c-9f0e-3f6f8c1a0001");
        assertThat(pod.finished()).isFalse();
        assertThat(pod.stick()).isEqualTo(Duration.ofMinutes(5));
        assertThat(pod.wishes().ingress()).isEqualTo(OptionalLong.of(10 << 20));
        assertThat(pod.wishes().egress()).isEqualTo(OptionalLong.of(10_000_000));
        assertThat(pod.addresses())
                .extracting(address -> address.getHostAddress())
                .containsExactly("192.168.1.20");
    }

    private static MockResponse answer(String version, String line) {
        if (line.contains("watch=true")) {
            return new MockResponse().withWebSocketUpgrade(new WebSocketListener() {
                @Override
                public void onOpen(WebSocket socket, Response response) {
                    text(version, "watch.json").lines().forEach(socket::send);
                }
            });
        }
        if (line.startsWith("GET /api/v1/namespaces/default/pods/web-0")) {
            Map<?, ?> list = Serialization.unmarshal(text(version, "pods.json"), Map.class);
            return json(200, Serialization.asJson(((List<?>) Objects.requireNonNull(list.get("items"))).get(0)));
        }
        return switch (line.replaceFirst("\\?.*", "")) {
            case "GET /api/v1/pods" -> json(200, text(version, "pods.json"));
            case "POST /api/v1/namespaces/default/events" -> json(201, text(version, "event.json"));
            case "PATCH /api/v1/nodes/node-1", "PATCH /api/v1/nodes/node-1/status" ->
                json(200, text(version, "node.json"));
            default -> FakeApiServer.refusal(404, "NotFound", "the server could not find the requested resource");
        };
    }

    private static MockResponse json(int code, String body) {
        return new MockResponse()
                .setResponseCode(code)
                .setHeader("Content-Type", "application/json")
                .setBody(body);
    }

    private static String text(String version, String file) {
        try (InputStream in = Objects.requireNonNull(
                ServerVersionsTest.class.getResourceAsStream("/servers/" + version + "/" + file))) {
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}

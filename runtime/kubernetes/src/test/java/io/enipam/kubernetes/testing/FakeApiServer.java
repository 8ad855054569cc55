package io.enipam.kubernetes.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.api.ApiServerClient.ApiLimits;
import io.enipam.kubernetes.api.ApiServerClient.RequestListener;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMixedDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import io.fabric8.mockwebserver.ServerRequest;
import io.fabric8.mockwebserver.ServerResponse;
import io.fabric8.mockwebserver.dsl.HttpMethod;
import io.fabric8.mockwebserver.http.Buffer;
import io.fabric8.mockwebserver.http.MockResponse;
import io.fabric8.mockwebserver.http.RecordedRequest;
import io.fabric8.mockwebserver.http.Response;
import io.fabric8.mockwebserver.http.WebSocket;
import io.fabric8.mockwebserver.http.WebSocketListener;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * fabric8's mock of an API server, which keeps what is created and tells watches. It selects by labels and names alone, so a
 * pod's node is to be its label, too. As a real one it lets nobody change a UID. It answers as a test wants where that says so.
 */
public final class FakeApiServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FakeApiServer.class);
    private static final Pattern BY_NODE = Pattern.compile("fieldSelector=spec\\.nodeName(?:%3D|=)([a-z0-9-]+)");
    private static final Pattern ONE_OBJECT = Pattern.compile("/api/v1/(?:namespaces/[^/]+/)?([a-z]+)/([^/?]+)");

    /** Who has this token is the one whose requests count. */
    private static final String TOKEN = "Bearer daemon";

    private final KubernetesMockServer server;
    private final NamespacedKubernetesClient client;
    private volatile Function<String, Optional<MockResponse>> whim = line -> Optional.empty();
    private final Queue<String> asked = new ConcurrentLinkedQueue<>();
    private final Set<String> expired = ConcurrentHashMap.newKeySet();

    public FakeApiServer() {
        this(false);
    }

    /** @param tls whether it is reached over TLS alone, with a certificate of its own making */
    public FakeApiServer(boolean tls) {
        Map<ServerRequest, Queue<ServerResponse>> none = new HashMap<>();
        server = new KubernetesMockServer(
                new Context(Serialization.jsonMapper()),
                new MockWebServer(),
                none,
                new KubernetesMixedDispatcher(none) {
                    @Override
                    public MockResponse dispatch(RecordedRequest request) {
                        String path = BY_NODE.matcher(URLDecoder.decode(request.getPath(), StandardCharsets.UTF_8))
                                .replaceAll("labelSelector=node%3D$1");
                        if (TOKEN.equals(request.getHeader("Authorization"))) {
                            asked.add(request.getMethod() + " " + request.getPath());
                        }
                        if (expired.contains(String.valueOf(request.getHeader("Authorization")))) {
                            return refusal(401, "Unauthorized", "Unauthorized");
                        }
                        return whim.apply(request.getMethod() + " " + path)
                                .orElseGet(() -> inWords(path, answer(of(request, request.method(), path))));
                    }

                    private MockResponse answer(RecordedRequest request) {
                        String type = request.getHeader("Content-Type");
                        if (type == null || !type.contains("application/merge-patch")) {
                            return super.dispatch(strategic(request));
                        }
                        JsonNode patch = json(request.getBody());
                        String uid = patch.at("/metadata/uid").asText();
                        MockResponse now = super.dispatch(of(request, HttpMethod.GET, request.getPath()));
                        return uid.isEmpty()
                                        || now.code() != 200
                                        || json(now.getBody())
                                                .at("/metadata/uid")
                                                .asText()
                                                .equals(uid)
                                ? super.dispatch(patched(request, type, patch))
                                : refusal(422, "Invalid", "metadata.uid: Invalid value: field is immutable");
                    }

                    /** The mock knows no strategic merge; of what is sent here, conditions alone are merged by their type. */
                    private RecordedRequest strategic(RecordedRequest request) {
                        String type = request.getHeader("Content-Type");
                        if (type == null || !type.contains("strategic-merge-patch")) {
                            return request;
                        }
                        ObjectNode patch = (ObjectNode) json(request.getBody());
                        if (!(patch.at("/status/conditions") instanceof ArrayNode conditions)) {
                            return patched(request, "application/merge-patch+json", patch);
                        }
                        String object = request.getPath().replaceFirst("/status$", "");
                        MockResponse now = super.dispatch(of(request, HttpMethod.GET, object));
                        merge(conditions, now.code() == 200 ? json(now.getBody()) : patch.objectNode());
                        ArrayNode steps = patch.arrayNode();
                        steps.addObject()
                                .put("op", "add")
                                .put("path", "/status/conditions")
                                .set("value", conditions);
                        return patched(request, "application/json-patch+json", steps);
                    }
                },
                tls);
        server.init();
        client = server.createClient();
    }

    private static MockResponse inWords(String path, MockResponse answer) {
        Matcher one = ONE_OBJECT.matcher(path);
        return answer.code() == 404 && one.matches() ? notFound(one.group(1), one.group(2)) : answer;
    }

    private static RecordedRequest of(RecordedRequest request, HttpMethod method, String path) {
        return new RecordedRequest(request.getHttpVersion(), method, path, request.getHeaders(), request.getBody());
    }

    private static RecordedRequest patched(RecordedRequest request, String type, JsonNode body) {
        return new RecordedRequest(
                request.getHttpVersion(),
                request.method(),
                request.getPath(),
                request.getHeaders().newBuilder().set("Content-Type", type).build(),
                new Buffer(body.toString().getBytes(StandardCharsets.UTF_8)));
    }

    private static JsonNode json(Buffer body) {
        return Serialization.unmarshal(body.readUtf8(), JsonNode.class);
    }

    private static void merge(ArrayNode conditions, JsonNode object) {
        Set<String> types = new HashSet<>();
        conditions.forEach(condition -> types.add(condition.path("type").asText()));
        object.at("/status/conditions").forEach(known -> {
            if (!types.contains(known.path("type").asText())) {
                conditions.add(known);
            }
        });
    }

    /** A client of the test's own: what it asks for is asked of the same server. */
    public NamespacedKubernetesClient client() {
        return client;
    }

    /** A connection to it as the daemon has one. */
    public ApiServerClient calls(RequestListener watcher) {
        return calls(config(), watcher);
    }

    /** A connection as the daemon has one that is in a hurry after a break. */
    public static ApiServerClient calls(Config config, RequestListener watcher) {
        return new ApiServerClient(
                config,
                new ApiLimits(50, Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofMillis(50)),
                watcher);
    }

    /** Where it is. */
    public Config config() {
        return new ConfigBuilder(client.getConfiguration()).build();
    }

    /** What an API server says with a status. */
    public static MockResponse refusal(int code, String reason, String message) {
        return new MockResponse()
                .setResponseCode(code)
                .setHeader("Content-Type", "application/json")
                .setBody(Serialization.asJson(status(code, reason, message)));
    }

    /** What an API server says of an object that is not there; the mock says nothing but the status. */
    public static MockResponse notFound(String kind, String name) {
        Status status = new StatusBuilder(status(404, "NotFound", kind + " \"" + name + "\" not found"))
                .withNewDetails()
                .withKind(kind)
                .withName(name)
                .endDetails()
                .build();
        return new MockResponse()
                .setResponseCode(404)
                .setHeader("Content-Type", "application/json")
                .setBody(Serialization.asJson(status));
    }

    /** What an API server says on a watch that it has accepted and cannot serve. */
    public static MockResponse watchError(int code, String reason, String message) {
        String event = Serialization.asJson(new WatchEvent(status(code, reason, message), "ERROR"));
        return new MockResponse().withWebSocketUpgrade(new WebSocketListener() {
            @Override
            public void onOpen(WebSocket socket, Response response) {
                socket.send(event);
            }
        });
    }

    private static Status status(int code, String reason, String message) {
        return new StatusBuilder()
                .withStatus("Failure")
                .withCode(code)
                .withReason(reason)
                .withMessage(message)
                .build();
    }

    /**
     * From now on the server does as it is told.
     *
     * @param answer of {@code METHOD PATH}; empty for what the server would say
     */
    public void answers(Function<String, Optional<MockResponse>> answer) {
        whim = answer;
    }

    /** What was asked so far by who has the token {@code daemon}, in order: {@code METHOD PATH}. */
    public List<String> asked() {
        return List.copyOf(asked);
    }

    /** Lets it notice which connections are gone: it answers a few questions first. */
    public void settle() {
        for (int i = 0; i < 20; i++) {
            client.pods().inNamespace("nobody").list();
        }
    }

    /** From now on who has this token is not let in. */
    public void expires(String token) {
        expired.add("Bearer " + token);
    }

    @Override
    public void close() {
        client.close();
        try {
            server.destroy();
        } catch (IllegalStateException e) {
            // the mock waits ten seconds in vain if a watch was about to open just now: its threads end with the tests
            LOG.warn("the mock of an API server did not close in time", e);
        }
    }
}

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
import java.io.IOException;
import java.net.URI;
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
import java.util.concurrent.atomic.AtomicBoolean;
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
    private static final Pattern ONE_OBJECT = Pattern.compile(
            "/apis?/(?:[^/]+\\.[^/]+/)?v[^/]+/(?:namespaces/[^/]+/)?([a-z]+)/([^/?]+)(?:/status)?(?:\\?.*)?");

    /** Who has this token is the one whose requests count. */
    private static final String TOKEN = "Bearer daemon";

    private final KubernetesMockServer server;
    private final NamespacedKubernetesClient client;
    private volatile Function<String, Optional<MockResponse>> whim = line -> Optional.empty();
    private volatile Function<String, Optional<MockResponse>> lost = line -> Optional.empty();
    private final Queue<String> asked = new ConcurrentLinkedQueue<>();
    private final Set<String> expired = ConcurrentHashMap.newKeySet();
    /** What the mock would do at the end of each watch that has ended. */
    private final Queue<Runnable> closed = new ConcurrentLinkedQueue<>();

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
                        String line = request.getMethod() + " " + path;
                        return whim.apply(line).orElseGet(() -> {
                            MockResponse answer = inWords(path, answer(of(request, request.method(), path)));
                            return lost.apply(line).orElse(answer);
                        });
                    }

                    @Override
                    public void releaseResources() {
                        super.releaseResources();
                        closed.forEach(Runnable::run);
                    }

                    private MockResponse answer(RecordedRequest request) {
                        String type = request.getHeader("Content-Type");
                        boolean merges = type != null && type.contains("merge-patch");
                        boolean deletes = request.method() == HttpMethod.DELETE
                                && request.getBody().size() > 0;
                        if (!merges && !deletes) {
                            return closedWithServer(super.dispatch(request));
                        }
                        JsonNode body = json(request.getBody());
                        String object = request.getPath().replaceFirst("(/status)?(\\?.*)?$", "");
                        MockResponse now = super.dispatch(of(request, HttpMethod.GET, object));
                        if (now.code() != 200) {
                            return now;
                        }
                        JsonNode known = json(now.getBody());
                        JsonNode required = body.path(deletes ? "preconditions" : "metadata");
                        MockResponse answer = precondition(required, known.path("metadata"), deletes)
                                .orElseGet(() -> super.dispatch(
                                        deletes ? request : merged(request, known, body, type.contains("strategic"))));
                        // a deleted object that goes with its last finalizer is shown once more
                        boolean gone = answer.code() == 202 && answer.getBody().size() == 0;
                        return gone ? answer.setBody(known.toString()) : answer;
                    }
                },
                tls);
        server.init();
        client = server.createClient();
        // one that asks again is told of its own creation that the object exists
        client.getConfiguration().setRequestTimeout(60_000);
    }

    /**
     * A watch of the mock that is closed with the server alone. The mock closes one on the thread that serves all requests, which waits
     * there for what the watch has still to be told, which waits for that thread: for half a minute nobody had an answer.
     */
    private MockResponse closedWithServer(MockResponse answer) {
        WebSocketListener watch = answer.getWebSocketListener();
        if (watch == null) {
            return answer;
        }
        return answer.withWebSocketUpgrade(new WebSocketListener() {
            @Override
            public void onOpen(WebSocket socket, Response response) {
                watch.onOpen(socket, response);
            }

            @Override
            public void onClosing(WebSocket socket, int code, String reason) {
                watch.onClosing(socket, code, reason);
            }

            @Override
            public void onClosed(WebSocket socket, int code, String reason) {
                closed.add(() -> watch.onClosed(socket, code, reason));
            }

            @Override
            public void onFailure(WebSocket socket, Throwable error, Response response) {
                closed.add(() -> watch.onFailure(socket, error, response));
            }
        });
    }

    private static MockResponse inWords(String path, MockResponse answer) {
        Matcher one = ONE_OBJECT.matcher(path);
        return answer.code() == 404 && one.matches() ? notFound(one.group(1), one.group(2)) : answer;
    }

    /** What a server says to a change that was meant for another object, or another version of it; empty if it is this one. */
    private static Optional<MockResponse> precondition(JsonNode required, JsonNode now, boolean deletes) {
        if (required.hasNonNull("uid") && !required.get("uid").equals(now.path("uid"))) {
            return Optional.of(
                    deletes
                            ? refusal(409, "Conflict", "the UID in the precondition is another one")
                            : refusal(422, "Invalid", "metadata.uid: Invalid value: field is immutable"));
        }
        return required.hasNonNull("resourceVersion")
                        && !required.get("resourceVersion").equals(now.path("resourceVersion"))
                ? Optional.of(refusal(409, "Conflict", "the object has been modified"))
                : Optional.empty();
    }

    private static RecordedRequest of(RecordedRequest request, HttpMethod method, String path) {
        return new RecordedRequest(request.getHttpVersion(), method, path, request.getHeaders(), request.getBody());
    }

    /** The mock appends to lists where a merge patch replaces them, and knows no strategic merge: it gets what comes out of it. */
    private static RecordedRequest merged(RecordedRequest request, JsonNode known, JsonNode patch, boolean strategic) {
        ArrayNode steps = ((ObjectNode) patch).arrayNode();
        patch.fieldNames().forEachRemaining(name -> {
            if (!patch.get(name).isNull()) {
                steps.addObject()
                        .put("op", "add")
                        .put("path", "/" + name)
                        .set("value", merged(known.path(name), patch.get(name), strategic));
            }
        });
        return new RecordedRequest(
                request.getHttpVersion(),
                request.method(),
                request.getPath(),
                request.getHeaders()
                        .newBuilder()
                        .set("Content-Type", "application/json-patch+json")
                        .build(),
                new Buffer(steps.toString().getBytes(StandardCharsets.UTF_8)));
    }

    /** RFC 7386; of what a strategic merge knows besides, conditions alone are merged, by their type. */
    private static JsonNode merged(JsonNode known, JsonNode patch, boolean strategic) {
        if (!(patch instanceof ObjectNode changes)) {
            return patch;
        }
        ObjectNode result = known instanceof ObjectNode object ? object.deepCopy() : changes.objectNode();
        changes.fieldNames().forEachRemaining(name -> {
            JsonNode value = changes.get(name);
            if (value.isNull()) {
                result.remove(name);
            } else if (strategic && name.equals("conditions") && value instanceof ArrayNode conditions) {
                result.set(name, byType(conditions, known.path(name)));
            } else {
                result.set(name, merged(known.path(name), value, strategic));
            }
        });
        return result;
    }

    private static JsonNode json(Buffer body) {
        return Serialization.unmarshal(body.readUtf8(), JsonNode.class);
    }

    private static ArrayNode byType(ArrayNode conditions, JsonNode known) {
        ArrayNode all = conditions.deepCopy();
        Set<String> types = new HashSet<>();
        conditions.forEach(condition -> types.add(condition.path("type").asText()));
        known.forEach(condition -> {
            if (!types.contains(condition.path("type").asText())) {
                all.add(condition);
            }
        });
        return all;
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

    public int port() {
        return URI.create(config().getMasterUrl()).getPort();
    }

    /** A line to it; the caller closes it. */
    public CuttableProxy line() throws IOException {
        return new CuttableProxy(port());
    }

    /** Where it is over a line. */
    public Config config(CuttableProxy line) {
        return new ConfigBuilder(config())
                .withMasterUrl("http://127.0.0.1:" + line.port())
                .build();
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

    /** The same for answers that are lost: what is asked is done, and the client gets this. */
    public void answersAfterwards(Function<String, Optional<MockResponse>> answer) {
        lost = answer;
    }

    /** What was asked so far by who has the token {@code daemon}, in order: {@code METHOD PATH}. */
    public List<String> asked() {
        return List.copyOf(asked);
    }

    /** Lets watches open that were just asked for: it answers a few questions first. */
    public void settle() {
        for (int i = 0; i < 20; i++) {
            client.pods().inNamespace("nobody").list();
        }
    }

    /**
     * Says once that it has forgotten its history, until the objects of a kind are listed again: a client that gave up before it heard
     * so would miss what the mock does not repeat. The mock keeps no history, and a server that has compacted its own says so.
     *
     * @param plural {@code nodes}
     */
    public void forgetHistoryOnce(String plural) {
        AtomicBoolean gone = new AtomicBoolean();
        AtomicBoolean listed = new AtomicBoolean();
        answers(request -> {
            if (request.contains("watch=true")) {
                gone.set(true);
                return listed.get()
                        ? Optional.empty()
                        : Optional.of(watchError(410, "Expired", "too old resource version"));
            }
            if (gone.get() && request.contains("/" + plural + "?")) {
                listed.set(true);
            }
            return Optional.empty();
        });
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

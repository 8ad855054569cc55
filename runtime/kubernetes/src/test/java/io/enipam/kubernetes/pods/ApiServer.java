package io.enipam.kubernetes.pods;

import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMixedDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import io.fabric8.mockwebserver.ServerRequest;
import io.fabric8.mockwebserver.ServerResponse;
import io.fabric8.mockwebserver.http.MockResponse;
import io.fabric8.mockwebserver.http.RecordedRequest;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * fabric8's mock of an API server, which keeps what is created and tells watches. It selects by labels and names alone, so a
 * pod's node is to be its label, too: {@link Manifests} sees to it. It answers as a test wants where that says so.
 */
final class ApiServer implements AutoCloseable {
    private static final Pattern BY_NODE = Pattern.compile("fieldSelector=spec\\.nodeName(?:%3D|=)([a-z0-9-]+)");

    private final KubernetesMockServer server;
    private final NamespacedKubernetesClient client;
    private volatile Function<String, Optional<MockResponse>> whim = line -> Optional.empty();

    ApiServer() {
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
                        return whim.apply(request.getMethod() + " " + path)
                                .orElseGet(() -> super.dispatch(new RecordedRequest(
                                        request.getHttpVersion(),
                                        request.method(),
                                        path,
                                        request.getHeaders(),
                                        request.getBody())));
                    }
                },
                false);
        server.init();
        client = server.createClient();
    }

    /** A client of the test's own: what it asks for is asked of the same server. */
    NamespacedKubernetesClient client() {
        return client;
    }

    /**
     * From now on the server does as it is told.
     *
     * @param answer of {@code METHOD PATH}; empty for what the server would say
     */
    void answers(Function<String, Optional<MockResponse>> answer) {
        whim = answer;
    }

    @Override
    public void close() {
        client.close();
        server.destroy();
    }
}

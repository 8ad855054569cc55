package io.enipam.kubernetes.node;

import io.enipam.kubernetes.api.ApiServerClient;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Reads single objects again and again. The server may answer from its cache: who asks every minute has time, and ten thousand
 * nodes shall not ask the cluster's database. Thread-safe; stages fail with {@link java.io.IOException}.
 *
 * @see <a href="https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions">resourceVersion=0</a>
 */
public final class ObjectPoller {
    private static final String FROM_CACHE = "?resourceVersion=0";
    private static final int NOT_FOUND = 404;

    private final ApiServerClient calls;

    public ObjectPoller(ApiServerClient calls) {
        this.calls = calls;
    }

    /**
     * Asks for a node.
     *
     * @param name as the API server has it
     * @return empty if there is no such node
     */
    public CompletableFuture<Optional<NodeLabels>> node(String name) {
        return ask("GET node " + name, "/api/v1/nodes/" + name, Node.class)
                .thenApply(found -> found.map(ObjectPoller::sheet));
    }

    /**
     * Asks for a ConfigMap.
     *
     * @return empty if there is no such ConfigMap
     */
    public CompletableFuture<Optional<ConfigMapSnapshot>> configMap(String namespace, String name) {
        String path = "/api/v1/namespaces/" + namespace + "/configmaps/" + name;
        return ask("GET configmap " + namespace + "/" + name, path, ConfigMap.class)
                .thenApply(found -> found.map(ObjectPoller::sheet));
    }

    private <T> CompletableFuture<Optional<T>> ask(String what, String path, Class<T> type) {
        return calls.request(what, client -> raw(client, path).map(text -> Serialization.unmarshal(text, type)));
    }

    private static Optional<String> raw(KubernetesClient client, String path) {
        try {
            return Optional.ofNullable(client.raw(path + FROM_CACHE));
        } catch (KubernetesClientException e) {
            if (e.getCode() == NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static NodeLabels sheet(Node node) {
        Map<String, String> labels = node.getMetadata().getLabels();
        return new NodeLabels(labels == null ? Map.of() : labels);
    }

    private static ConfigMapSnapshot sheet(ConfigMap map) {
        return new ConfigMapSnapshot(
                Optional.ofNullable(map.getMetadata().getResourceVersion()).orElse(""),
                map.getData() == null ? Map.of() : map.getData());
    }
}

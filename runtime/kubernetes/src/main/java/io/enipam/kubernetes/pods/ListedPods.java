package io.enipam.kubernetes.pods;

import io.enipam.kubernetes.api.ApiCalls;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** This node's pods, listed anew for somebody who looks; nobody else does. Thread-safe. */
public final class ListedPods {
    private final ApiCalls calls;
    private final String node;
    private final ManifestReader reader;

    /** @param node name of the node, as the API server has it */
    public ListedPods(ApiCalls calls, String node, ManifestReader reader) {
        this.calls = calls;
        this.node = node;
        this.reader = reader;
    }

    /**
     * Asks, with one request out of what people have; see {@link ApiCalls#look}.
     *
     * @return those in the node's own network left out; fails with {@link java.io.IOException}
     */
    public CompletableFuture<List<SeenPod>> list() {
        return calls.look(
                "LIST pods of node " + node,
                client -> client.pods().inAnyNamespace().withField("spec.nodeName", node).list().getItems().stream()
                        .filter(pod -> !ManifestReader.inHostNetwork(pod))
                        .map(pod -> new SeenPod(reader.read(pod).pod(), PodDetails.of(pod)))
                        .toList());
    }
}

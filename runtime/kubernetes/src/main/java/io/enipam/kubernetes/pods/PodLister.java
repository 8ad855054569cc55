package io.enipam.kubernetes.pods;

import io.enipam.kubernetes.api.ApiServerClient;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** This node's pods, listed anew for somebody who looks; nobody else does. Thread-safe. */
public final class PodLister {
    private final ApiServerClient calls;
    private final String node;
    private final ManifestParser reader;

    /** @param node name of the node, as the API server has it */
    public PodLister(ApiServerClient calls, String node, ManifestParser reader) {
        this.calls = calls;
        this.node = node;
        this.reader = reader;
    }

    /**
     * Asks, with one request out of what people have; see {@link ApiServerClient#requestInteractive}.
     *
     * @return those in the node's own network left out; fails with {@link java.io.IOException}
     */
    public CompletableFuture<List<PodWithDetails>> list() {
        return calls.requestInteractive(
                "LIST pods of node " + node,
                client -> client.pods().inAnyNamespace().withField("spec.nodeName", node).list().getItems().stream()
                        .filter(pod -> !ManifestParser.inHostNetwork(pod))
                        .map(pod -> new PodWithDetails(reader.parse(pod).pod(), PodDetails.of(pod)))
                        .toList());
    }
}

package io.enipam.kubernetes.node;

import io.enipam.kubernetes.api.ApiServerClient;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The node object, for somebody who looks. Thread-safe. */
public final class NodeReader {
    private final ApiServerClient calls;
    private final String node;

    /** @param node name of the node, as the API server should have it */
    public NodeReader(ApiServerClient calls, String node) {
        this.calls = calls;
        this.node = node;
    }

    /**
     * Asks, with one request out of what people have; see {@link ApiServerClient#requestInteractive}.
     *
     * @return empty if there is no such node; fails with {@link java.io.IOException}
     */
    public CompletableFuture<Optional<NodeNetworkInfo>> fetch() {
        return calls.requestInteractive(
                "GET node " + node,
                client ->
                        Optional.ofNullable(client.nodes().withName(node).get()).map(NodeNetworkInfo::of));
    }
}

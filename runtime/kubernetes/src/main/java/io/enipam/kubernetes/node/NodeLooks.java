package io.enipam.kubernetes.node;

import io.enipam.kubernetes.api.ApiCalls;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The node object, for somebody who looks. Thread-safe. */
public final class NodeLooks {
    private final ApiCalls calls;
    private final String node;

    /** @param node name of the node, as the API server should have it */
    public NodeLooks(ApiCalls calls, String node) {
        this.calls = calls;
        this.node = node;
    }

    /**
     * Asks, with one request out of what people have; see {@link ApiCalls#look}.
     *
     * @return empty if there is no such node; fails with {@link java.io.IOException}
     */
    public CompletableFuture<Optional<NodeWord>> look() {
        return calls.look(
                "GET node " + node,
                client ->
                        Optional.ofNullable(client.nodes().withName(node).get()).map(NodeWord::of));
    }
}

package io.enipam.kubernetes.cidr;

import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.fabric8.kubernetes.api.model.Node;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Asks the API server for the CIDR that the cluster has given to a node. Thread-safe. */
public final class NodeCidrResolver {
    private final ApiServerClient calls;
    private final String node;

    public NodeCidrResolver(ApiServerClient calls, String node) {
        this.calls = calls;
        this.node = node;
    }

    /**
     * Asks.
     *
     * @return fails with {@link IOException} if there is no answer, and with {@link FactoryException} if the answer is of no use,
     *     with what to do
     */
    public CompletableFuture<NodeCidr> resolve() {
        return calls.request(
                        "GET node " + node,
                        client -> Optional.ofNullable(
                                client.nodes().withName(node).get()))
                .thenApply(found -> read(found.orElseThrow(() -> new FactoryException(
                        ErrorKind.UNAVAILABLE,
                        "there is no node " + node + " in the cluster; set node.name to its name there"))));
    }

    private NodeCidr read(Node found) {
        List<String> texts = new ArrayList<>();
        if (found.getSpec() != null) {
            if (found.getSpec().getPodCIDRs() != null) {
                texts.addAll(found.getSpec().getPodCIDRs());
            }
            if (texts.isEmpty() && found.getSpec().getPodCIDR() != null) {
                texts.add(found.getSpec().getPodCIDR());
            }
        }
        texts.removeIf(String::isEmpty);
        if (texts.isEmpty()) {
            throw new FactoryException(
                    ErrorKind.UNAVAILABLE,
                    "node " + node + " has no pod CIDR yet: the cluster's controller manager gives it one"
                            + " (--allocate-node-cidrs)");
        }
        Optional<String> ipv4 =
                texts.stream().filter(text -> !text.contains(":")).findFirst();
        try {
            return NodeCidr.parse(ipv4.orElseThrow(
                    () -> new IllegalArgumentException("there is no IPv4 one among " + String.join(", ", texts))));
        } catch (IllegalArgumentException e) {
            throw new FactoryException(
                    ErrorKind.MISCONFIGURED, "the pod CIDR of node " + node + " cannot be used: " + e.getMessage());
        }
    }
}

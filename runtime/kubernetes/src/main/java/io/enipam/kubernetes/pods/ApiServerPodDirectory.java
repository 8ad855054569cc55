package io.enipam.kubernetes.pods;

import io.enipam.engine.model.Pod;
import io.enipam.engine.port.PodDirectory;
import io.enipam.engine.port.PodDirectory.PodLookupResult;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.node.NodeIdentityCheck;
import io.enipam.sdk.PodRef;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The engine's pod directory on the API server: one pod is asked for by name, uncached; the list is the watch's, as long as that
 * hears. Thread-safe.
 *
 * <p>A pod of that name in the node's own network is none of ours: no pod goes there from a network of its own.
 */
public final class ApiServerPodDirectory implements PodDirectory {
    /** Longer than an API server takes to come to itself. */
    private static final Duration SECOND_LOOK = Duration.ofSeconds(30);

    private final ApiServerClient calls;
    private final PodInformer watch;
    private final ManifestParser reader;
    private final String node;
    private final NodeIdentityCheck own;

    public ApiServerPodDirectory(
            ApiServerClient calls, PodInformer watch, ManifestParser reader, String node, NodeIdentityCheck own) {
        this.calls = calls;
        this.watch = watch;
        this.reader = reader;
        this.node = node;
        this.own = own;
    }

    @Override
    public CompletionStage<PodLookupResult> locate(PodRef pod) {
        return calls.request(
                "GET pod " + pod,
                client -> PodGetRequest.get(client, pod).map(this::sighting).orElseGet(PodLookupResult.NotFound::new));
    }

    private PodLookupResult sighting(io.fabric8.kubernetes.api.model.Pod found) {
        if (ManifestParser.inHostNetwork(found)) {
            return new PodLookupResult.NotFound();
        }
        Pod pod = reader.parse(found).pod();
        String its = found.getSpec() == null ? null : found.getSpec().getNodeName();
        return its == null || its.isEmpty() || its.equals(node)
                ? new PodLookupResult.OnThisNode(pod)
                : new PodLookupResult.OnOtherNode(pod, its);
    }

    /** For an ADD on this node, that the pod is on another one is no answer: one of the two is wrong. */
    @Override
    public CompletionStage<Optional<Pod>> find(PodRef pod) {
        return locate(pod).thenCompose(sighting -> {
            if (sighting instanceof PodLookupResult.OnOtherNode there) {
                return CompletableFuture.failedFuture(new IOException("GET pod " + pod + ": it is on node "
                        + there.node() + ", and this node is called " + node + "; see that node.name is right"));
            }
            return CompletableFuture.completedFuture(
                    sighting instanceof PodLookupResult.OnThisNode here ? Optional.of(here.pod()) : Optional.empty());
        });
    }

    @Override
    public Optional<Pod> lastKnown(PodRef pod) {
        return watch.find(pod);
    }

    @Override
    public CompletionStage<List<Pod>> list() {
        return watch.isCurrent()
                ? CompletableFuture.completedFuture(watch.pods())
                : CompletableFuture.failedFuture(
                        new IOException("the API server's pods are not known: " + watch.failureReason()));
    }

    @Override
    public CompletionStage<List<Pod>> listUncached() {
        return calls.request(
                "LIST pods of node " + node,
                client -> client.pods().inAnyNamespace().withField("spec.nodeName", node).list().getItems().stream()
                        .filter(pod -> !ManifestParser.inHostNetwork(pod))
                        .map(pod -> reader.parse(pod).pod())
                        .toList());
    }

    @Override
    public CompletionStage<Void> verifyIdentity() {
        return own.verify();
    }

    @Override
    public Duration recheckDelay() {
        return SECOND_LOOK;
    }
}

package io.enipam.kubernetes.pods;

import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Sighting;
import io.enipam.engine.port.PodDirectory;
import io.enipam.kubernetes.api.ApiCalls;
import io.enipam.kubernetes.node.OwnNode;
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
public final class ClusterPods implements PodDirectory {
    /** Longer than an API server takes to come to itself. */
    private static final Duration SECOND_LOOK = Duration.ofSeconds(30);

    private final ApiCalls calls;
    private final PodWatch watch;
    private final ManifestReader reader;
    private final String node;
    private final OwnNode own;

    public ClusterPods(ApiCalls calls, PodWatch watch, ManifestReader reader, String node, OwnNode own) {
        this.calls = calls;
        this.watch = watch;
        this.reader = reader;
        this.node = node;
        this.own = own;
    }

    @Override
    public CompletionStage<Sighting> locate(PodRef pod) {
        return calls.ask(
                "GET pod " + pod,
                client -> OnePod.get(client, pod).map(this::sighting).orElseGet(Sighting.Nowhere::new));
    }

    private Sighting sighting(io.fabric8.kubernetes.api.model.Pod found) {
        if (ManifestReader.inHostNetwork(found)) {
            return new Sighting.Nowhere();
        }
        Pod pod = reader.read(found).pod();
        String its = found.getSpec() == null ? null : found.getSpec().getNodeName();
        return its == null || its.isEmpty() || its.equals(node)
                ? new Sighting.Here(pod)
                : new Sighting.Elsewhere(pod, its);
    }

    /** For an ADD on this node, that the pod is on another one is no answer: one of the two is wrong. */
    @Override
    public CompletionStage<Optional<Pod>> find(PodRef pod) {
        return locate(pod).thenCompose(sighting -> {
            if (sighting instanceof Sighting.Elsewhere there) {
                return CompletableFuture.failedFuture(new IOException("GET pod " + pod + ": it is on node "
                        + there.node() + ", and this node is called " + node + "; see that node.name is right"));
            }
            return CompletableFuture.completedFuture(
                    sighting instanceof Sighting.Here here ? Optional.of(here.pod()) : Optional.empty());
        });
    }

    @Override
    public Optional<Pod> remembered(PodRef pod) {
        return watch.find(pod);
    }

    @Override
    public CompletionStage<List<Pod>> list() {
        return watch.hears()
                ? CompletableFuture.completedFuture(watch.now())
                : CompletableFuture.failedFuture(
                        new IOException("the API server's pods are not known: " + watch.trouble()));
    }

    @Override
    public CompletionStage<List<Pod>> listUncached() {
        return calls.ask(
                "LIST pods of node " + node,
                client -> client.pods().inAnyNamespace().withField("spec.nodeName", node).list().getItems().stream()
                        .filter(pod -> !ManifestReader.inHostNetwork(pod))
                        .map(pod -> reader.read(pod).pod())
                        .toList());
    }

    @Override
    public CompletionStage<Void> vouch() {
        return own.vouch();
    }

    @Override
    public Duration secondLook() {
        return SECOND_LOOK;
    }
}

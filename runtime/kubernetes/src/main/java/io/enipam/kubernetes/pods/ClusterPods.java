package io.enipam.kubernetes.pods;

import io.enipam.engine.model.Pod;
import io.enipam.engine.port.PodDirectory;
import io.enipam.kubernetes.api.ApiCalls;
import io.enipam.sdk.PodRef;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The engine's pod directory on the API server: one pod is asked for by name, uncached; the list is the watch's. Thread-safe.
 *
 * <p>A pod of that name on another node is none of ours: a StatefulSet's pod that moved is gone from here.
 */
public final class ClusterPods implements PodDirectory {
    private final ApiCalls calls;
    private final PodWatch watch;
    private final ManifestReader reader;
    private final String node;

    public ClusterPods(ApiCalls calls, PodWatch watch, ManifestReader reader, String node) {
        this.calls = calls;
        this.watch = watch;
        this.reader = reader;
        this.node = node;
    }

    @Override
    public CompletionStage<Optional<Pod>> find(PodRef pod) {
        return calls.ask(
                "GET pod " + pod,
                client -> Optional.ofNullable(client.pods()
                                .inNamespace(pod.namespace())
                                .withName(pod.name())
                                .get())
                        .filter(this::isHere)
                        .map(found -> reader.read(found).pod()));
    }

    private boolean isHere(io.fabric8.kubernetes.api.model.Pod found) {
        String its = found.getSpec() == null ? null : found.getSpec().getNodeName();
        return !ManifestReader.inHostNetwork(found) && (its == null || its.isEmpty() || its.equals(node));
    }

    @Override
    public CompletionStage<List<Pod>> list() {
        return watch.hasListed()
                ? CompletableFuture.completedFuture(watch.now())
                : CompletableFuture.failedFuture(
                        new IOException("the API server's pods are not known: " + watch.trouble()));
    }
}

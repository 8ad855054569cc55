package io.enipam.daemon.sources;

import io.enipam.engine.model.Pod;
import io.enipam.sdk.PodRef;
import java.util.List;
import java.util.Optional;

/**
 * The pods of this node as the API server knows them. It may come from a cache.
 *
 * @param pods in no particular order
 */
public record KnownPods(List<Pod> pods) {
    public KnownPods {
        pods = List.copyOf(pods);
    }

    public Optional<Pod> pod(PodRef ref) {
        return pods.stream().filter(pod -> pod.ref().equals(ref)).findFirst();
    }
}

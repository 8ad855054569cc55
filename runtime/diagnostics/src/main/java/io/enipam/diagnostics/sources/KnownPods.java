package io.enipam.diagnostics.sources;

import io.enipam.engine.model.Pod;
import io.enipam.kubernetes.pods.WatchedPod;
import io.enipam.kubernetes.pods.WatchedPod.PodDetails;
import io.enipam.sdk.PodRef;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The pods of this node as the API server knows them.
 *
 * @param pods in no particular order
 * @param details what else is known of them; nothing where nobody told
 * @param silentSince since when the API server is not heard: what it said before may be out of date, and proves nothing
 */
public record KnownPods(List<Pod> pods, Map<PodRef, PodDetails> details, Optional<Instant> silentSince) {
    public KnownPods {
        pods = List.copyOf(pods);
        details = Map.copyOf(details);
    }

    /** Pods of which nothing else is known, and which are all there are. */
    public KnownPods(List<Pod> pods) {
        this(pods, Map.of(), Optional.empty());
    }

    /** As they were told. */
    static KnownPods of(List<WatchedPod> seen, Optional<Instant> silentSince) {
        return new KnownPods(
                seen.stream().map(WatchedPod::pod).toList(),
                seen.stream()
                        .collect(Collectors.toMap(pod -> pod.pod().ref(), WatchedPod::details, (first, same) -> first)),
                silentSince);
    }

    public Optional<Pod> pod(PodRef ref) {
        return pods.stream().filter(pod -> pod.ref().equals(ref)).findFirst();
    }

    public Optional<PodDetails> details(PodRef ref) {
        return Optional.ofNullable(details.get(ref));
    }
}

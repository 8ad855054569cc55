package io.enipam.kubernetes.pods;

import io.enipam.engine.model.Pod;
import java.util.List;

/**
 * What a pod's manifest says of its network.
 *
 * @param pod as the engine knows it
 * @param complaints what it says that cannot be obeyed, one sentence each, for an event on the pod
 */
public record ParsedManifest(Pod pod, List<String> complaints) {
    public ParsedManifest {
        complaints = List.copyOf(complaints);
    }
}

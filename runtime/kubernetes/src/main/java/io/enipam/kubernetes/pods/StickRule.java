package io.enipam.kubernetes.pods;

import java.time.Duration;
import java.util.Set;

/**
 * Which pods keep their address for a successor, and for how long.
 *
 * @param statefulKinds kinds of owners whose pods do, StatefulSet aside
 * @param stick how long, unless the pod says otherwise
 */
public record StickRule(Set<String> statefulKinds, Duration stick) {
    public StickRule {
        statefulKinds = Set.copyOf(statefulKinds);
    }
}

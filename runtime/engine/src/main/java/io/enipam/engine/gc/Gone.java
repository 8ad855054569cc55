package io.enipam.engine.gc;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Sighting;
import io.enipam.engine.model.StandIn;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * When a pod counts as gone: it does not exist, has run to its end, or is another pod of the same name. A UID that nobody told
 * proves nothing. What an absence is worth is another matter: {@link Absences}.
 *
 * <p>A pod of the name on another node is another pod if its UID is another, or, where nobody told the UID, its address. If it is
 * the very pod, this node goes by another's name, and nothing at all may be concluded.
 *
 * <p>A lease that a start-up made for a pod by its address alone ends, too, when the pod has another one. And a sandbox whose
 * pod nobody knows ends when no pod of the node has its address, ten minutes after it was found at the earliest: until then
 * the API server may just not have been told of the address.
 */
final class Gone {
    static final Duration GRACE = Duration.ofMinutes(10);

    private final Collection<Pod> known;
    private final Map<PodRef, Pod> byName;
    private final Instant now;

    /** @param known the pods of the node, as listed */
    Gone(Collection<Pod> known, Instant now) {
        this.known = known;
        this.byName = known.stream().collect(Collectors.toMap(Pod::ref, Function.identity(), (a, b) -> b));
        this.now = now;
    }

    /** Why it may be gone, by the list alone. */
    Optional<String> perhaps(Candidate candidate) {
        return reason(candidate, Optional.ofNullable(byName.get(candidate.pod())));
    }

    /**
     * Why its pod counts as gone, or empty if it does not.
     *
     * @param sighting the pod by the source of truth
     * @throws IpamException if that cannot be true of this node's pod
     */
    Optional<String> reason(Candidate candidate, Sighting sighting) {
        if (sighting instanceof Sighting.Elsewhere there) {
            return elsewhere(candidate, there);
        }
        return reason(
                candidate, sighting instanceof Sighting.Here here ? Optional.of(here.pod()) : Optional.<Pod>empty());
    }

    private static Optional<String> elsewhere(Candidate candidate, Sighting.Elsewhere there) {
        Pod pod = there.pod();
        boolean uidsAreKnown = comparable(candidate, pod);
        if (uidsAreKnown ? pod.uid().equals(candidate.podUid()) : shares(candidate, pod)) {
            throw new IpamException(
                    ErrorCode.INTERNAL,
                    "the pod with this lease is on node " + there.node()
                            + " by the API server: this node goes by another's name",
                    "set node.name to the name that this node has in the cluster");
        }
        return uidsAreKnown || !pod.addresses().isEmpty()
                ? Optional.of("the pod of its name is on node " + there.node() + " now")
                : Optional.empty();
    }

    private Optional<String> reason(Candidate candidate, Optional<Pod> found) {
        if (StandIn.is(candidate.pod())) {
            boolean over = found.isEmpty()
                    && Duration.between(candidate.since(), now).compareTo(GRACE) >= 0
                    && known.stream().noneMatch(pod -> shares(candidate, pod));
            return over ? Optional.of("no pod has its address") : Optional.empty();
        }
        if (found.isEmpty()) {
            return Optional.of("the pod does not exist");
        }
        Pod pod = found.get();
        if (pod.finished()) {
            return Optional.of("the pod has finished");
        }
        if (comparable(candidate, pod) && !pod.uid().equals(candidate.podUid())) {
            return Optional.of("another pod has its name now");
        }
        boolean elsewhere = StandIn.is(candidate.owner()) && !pod.addresses().isEmpty() && !shares(candidate, pod);
        return elsewhere ? Optional.of("the pod has another address now") : Optional.empty();
    }

    private static boolean comparable(Candidate candidate, Pod pod) {
        return !candidate.podUid().isEmpty()
                && !pod.uid().isEmpty()
                && Absences.tellApart(candidate.podUid(), pod.uid());
    }

    private static boolean shares(Candidate candidate, Pod pod) {
        return pod.addresses().stream().anyMatch(candidate.addresses()::contains);
    }
}

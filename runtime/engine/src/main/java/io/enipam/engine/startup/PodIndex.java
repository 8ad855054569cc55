package io.enipam.engine.startup;

import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.sdk.PodRef;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The pods of the node as a start and {@code --recover} know them: the API server's list if it came, and the pod store's copies.
 * Immutable after construction.
 */
public final class PodIndex {
    private final Map<PodRef, Pod> running = new HashMap<>();
    private final Map<String, Pod> byUid = new HashMap<>();
    private final Map<InetAddress, Pod> byAddress = new HashMap<>();
    private final Map<PodRef, Pod> seen = new HashMap<>();

    /**
     * @param listed what the API server lists; empty if it has not answered
     * @param copies what was seen of pods before: they name pods by their UID, and prove of none that it runs. One of a
     *     pod that is gone names nothing, and no copy does by its address, which may be another pod's by now
     */
    public PodIndex(Collection<Pod> listed, Collection<PodCopy> copies) {
        listed.stream().filter(pod -> !pod.finished()).forEach(pod -> running.put(pod.ref(), pod));
        running.values().forEach(pod -> pod.addresses().forEach(address -> byAddress.putIfAbsent(address, pod)));
        Stream<Pod> stored =
                copies.stream().filter(copy -> copy.expires().isEmpty()).map(PodCopy::pod);
        Stream.concat(running.values().stream(), stored).forEach(pod -> {
            seen.putIfAbsent(pod.ref(), pod);
            if (!pod.uid().isEmpty()) {
                byUid.putIfAbsent(pod.uid(), pod);
            }
        });
    }

    /** The pods that run, as far as the API server has reported, by their names. */
    public List<Pod> running() {
        return running.values().stream().sorted(Comparator.comparing(Pod::ref)).toList();
    }

    /** The pod, if it runs for certain; an unknown UID fits every pod of the name. */
    public Optional<Pod> running(PodRef ref, String uid) {
        return Optional.ofNullable(running.get(ref))
                .filter(pod -> uid.isEmpty() || pod.uid().isEmpty() || pod.uid().equals(uid));
    }

    /** Whether a pod runs for certain. */
    boolean runs(PodRef ref, String uid) {
        return running(ref, uid).isPresent();
    }

    /** How long addresses are kept for a pod after a DEL, as far as is known. */
    Optional<Pod> of(PodRef ref) {
        return Optional.ofNullable(seen.get(ref));
    }

    /**
     * The pod of a sandbox: the one its connection names, else the one of its UID, else the running one that has its
     * address, else a placeholder.
     */
    public Pod of(Attachment sandbox) {
        Optional<Pod> byName = sandbox.pod().map(ref -> named(ref, sandbox));
        return byName.or(() -> Optional.ofNullable(byUid.get(sandbox.podUid())))
                .or(() -> having(sandbox))
                .orElseGet(
                        () -> new Pod(PlaceholderPod.podOf(sandbox.owner()), sandbox.podUid(), false, Duration.ZERO));
    }

    /** If the connection has no UID, it is the API server's only if that pod has the sandbox's address. */
    private Pod named(PodRef ref, Attachment sandbox) {
        Optional<Pod> known = of(ref);
        String uid = !sandbox.podUid().isEmpty()
                ? sandbox.podUid()
                : Optional.ofNullable(running.get(ref))
                        .filter(pod -> pod.addresses().stream().anyMatch(sandbox.addresses()::contains))
                        .map(Pod::uid)
                        .orElse("");
        return new Pod(
                ref,
                uid,
                false,
                known.map(Pod::stick).orElse(Duration.ZERO),
                known.filter(pod -> pod.uid().equals(uid)).map(Pod::addresses).orElse(List.of()));
    }

    private Optional<Pod> having(Attachment sandbox) {
        return sandbox.addresses().stream()
                .map(byAddress::get)
                .filter(Objects::nonNull)
                .findFirst();
    }
}

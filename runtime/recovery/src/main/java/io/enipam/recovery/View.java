package io.enipam.recovery;

import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.net.InetAddress;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The witnesses' words, ready to be looked up. Immutable after construction. */
final class View {
    private final Witnesses witnesses;
    private final Map<OwnerKey, Attachment> sandboxes = new TreeMap<>();
    private final Map<PodRef, Pod> pods = new HashMap<>();
    private final Map<ResourceId, Resource> listed = new HashMap<>();

    View(Witnesses witnesses) {
        this.witnesses = witnesses;
        witnesses.kernel().told().stream()
                .filter(sandbox -> !sandbox.addresses().isEmpty()) // without one it is half made or half gone
                .forEach(sandbox -> sandboxes.merge(sandbox.owner(), sandbox, View::both));
        witnesses.pods().told().forEach(pod -> pods.put(pod.ref(), pod));
        witnesses.cloud().told().forEach(resource -> listed.put(resource.id(), resource));
    }

    /** A kernel may tell of one sandbox twice: one connection for each family. */
    private static Attachment both(Attachment one, Attachment other) {
        Set<InetAddress> addresses = new HashSet<>(one.addresses());
        addresses.addAll(other.addresses());
        return new Attachment(
                one.owner(),
                one.pod().or(other::pod),
                one.podUid().isEmpty() ? other.podUid() : one.podUid(),
                addresses);
    }

    Collection<Attachment> sandboxes() {
        return sandboxes.values();
    }

    Optional<Attachment> sandbox(OwnerKey owner) {
        return Optional.ofNullable(sandboxes.get(owner));
    }

    KernelView kernel(OwnerKey owner, Resource resource) {
        if (!witnesses.kernel().known()) {
            return KernelView.UNKNOWN;
        }
        Optional<Attachment> sandbox = sandbox(owner);
        if (sandbox.isEmpty()) {
            return KernelView.ABSENT;
        }
        return resource.addresses().stream()
                        .map(Address::ip)
                        .anyMatch(sandbox.get().addresses()::contains)
                ? KernelView.ATTACHED
                : KernelView.ELSEWHERE;
    }

    boolean kernelKnown() {
        return witnesses.kernel().known();
    }

    /**
     * Whether the kernel tells who has what. One that knows no sandbox at all does not: the recovery may run in another network
     * namespace or on another run directory than the daemon did.
     */
    boolean kernelTells() {
        return witnesses.kernel().known() && !sandboxes.isEmpty();
    }

    /** Why it does not, to end a sentence. */
    String kernelSilence() {
        return witnesses.kernel().known() ? "the kernel knows no sandbox" : "the kernel did not answer";
    }

    boolean cloudKnown() {
        return witnesses.cloud().known();
    }

    PodView pod(PodRef ref, String uid) {
        if (!witnesses.pods().known()) {
            return PodView.UNKNOWN;
        }
        return running(ref, uid).isPresent() ? PodView.RUNS : PodView.GONE;
    }

    /** The running pod of a name, unless it is another one than the UID says. */
    Optional<Pod> running(PodRef ref, String uid) {
        return Optional.ofNullable(pods.get(ref))
                .filter(pod -> !pod.finished())
                .filter(pod -> uid.isEmpty() || pod.uid().isEmpty() || pod.uid().equals(uid));
    }

    /** All pods that run, by name. */
    List<Pod> running() {
        return pods.values().stream()
                .filter(pod -> !pod.finished())
                .sorted(Comparator.comparing(pod -> pod.ref().toString()))
                .toList();
    }

    /** Whether the API server says that this pod has the resource's address. */
    boolean told(PodRef ref, String uid, Resource resource) {
        return running(ref, uid).stream()
                .flatMap(pod -> pod.addresses().stream())
                .anyMatch(ip -> resource.addresses().stream()
                        .anyMatch(address -> address.ip().equals(ip)));
    }

    String cloud(ResourceId id) {
        return !witnesses.cloud().known() ? "?" : listed.containsKey(id) ? "listed" : "not listed";
    }

    /** What the cloud lists, by id. */
    List<Resource> listed() {
        return listed.values().stream()
                .sorted(Comparator.comparing(resource -> resource.id().value()))
                .toList();
    }
}

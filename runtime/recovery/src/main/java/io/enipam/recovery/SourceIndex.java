package io.enipam.recovery;

import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.startup.AddressIndex;
import io.enipam.engine.startup.PodIndex;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.net.InetAddress;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** The sources' answers, ready to be looked up. Immutable after construction. */
final class SourceIndex {
    private final SourceAnswers sources;
    private final SortedMap<OwnerKey, Attachment> sandboxes;
    private final PodIndex pods;
    private final List<Resource> listed;
    private final Map<ResourceId, List<Resource>> byId;

    /** @param copies the copies of pods in the database */
    SourceIndex(SourceAnswers sources, Collection<PodCopy> copies) {
        this.sources = sources;
        this.sandboxes = Attachment.byOwner(sources.kernel().told());
        this.pods = new PodIndex(sources.pods().told(), copies);
        this.listed = sources.cloud().told().stream()
                .sorted(Comparator.comparing(
                        resource -> ResourceKey.of(resource).path()))
                .toList();
        this.byId = listed.stream().collect(Collectors.groupingBy(Resource::id));
    }

    Collection<Attachment> sandboxes() {
        return sandboxes.values();
    }

    Optional<Attachment> sandbox(OwnerKey owner) {
        return Optional.ofNullable(sandboxes.get(owner));
    }

    KernelState kernel(OwnerKey owner, Resource resource) {
        if (!sources.kernel().known()) {
            return KernelState.UNKNOWN;
        }
        Optional<Attachment> sandbox = sandbox(owner);
        if (sandbox.isEmpty()) {
            return KernelState.ABSENT;
        }
        Set<InetAddress> connected = sandbox.get().addresses();
        return resource.addresses().stream().map(Address::ip).anyMatch(connected::contains)
                ? KernelState.ATTACHED
                : KernelState.ELSEWHERE;
    }

    boolean kernelKnown() {
        return sources.kernel().known();
    }

    /**
     * Whether the kernel shows who has what. One that knows no sandbox at all does not: the recovery may run in another
     * network namespace or on another run directory than the daemon did.
     */
    boolean kernelTells() {
        return sources.kernel().known() && !sandboxes.isEmpty();
    }

    /** Why it does not, to end a sentence. */
    String kernelSilence() {
        return sources.kernel().known() ? "the kernel knows no sandbox" : "the kernel did not answer";
    }

    boolean cloudKnown() {
        return sources.cloud().known();
    }

    PodState pod(PodRef ref, String uid) {
        if (!sources.pods().known()) {
            return PodState.UNKNOWN;
        }
        return pods.running(ref, uid).isPresent() ? PodState.RUNS : PodState.GONE;
    }

    PodIndex pods() {
        return pods;
    }

    /** Whether the API server says that this pod has the resource's address. */
    boolean told(PodRef ref, String uid, Resource resource) {
        return pods.running(ref, uid).stream()
                .flatMap(pod -> pod.addresses().stream())
                .anyMatch(ip -> resource.addresses().stream()
                        .anyMatch(address -> address.ip().equals(ip)));
    }

    /** By the addresses, too: two factories may give one id, and what one made may have become another's since. */
    String cloud(Resource resource) {
        boolean there = byId.getOrDefault(resource.id(), List.of()).stream()
                .anyMatch(other -> AddressIndex.same(other, resource));
        return !sources.cloud().known() ? "?" : there ? "listed" : "not listed";
    }

    List<Resource> listed() {
        return listed;
    }

    enum KernelState {
        /** The sandbox is connected with the address. */
        ATTACHED("attached"),
        /** The sandbox is connected, and with another address. */
        ELSEWHERE("attached with another"),
        /** The sandbox is not connected. */
        ABSENT("not attached"),
        /** The kernel did not answer. */
        UNKNOWN("?");

        final String words;

        KernelState(String words) {
            this.words = words;
        }
    }

    enum PodState {
        RUNS("runs"),
        /** There is no such pod, it has finished, or another one has its name. */
        GONE("gone"),
        /** The API server did not answer. */
        UNKNOWN("?");

        final String words;

        PodState(String words) {
            this.words = words;
        }
    }
}

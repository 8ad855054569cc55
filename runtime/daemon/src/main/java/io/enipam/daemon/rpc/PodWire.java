package io.enipam.daemon.rpc;

import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceState;
import io.enipam.v1.PodInfo;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Pods on the wire: those the API server knows, and those that still have a lease. */
final class PodWire {
    private PodWire() {}

    /** The union of both, by name. */
    static List<PodInfo> union(List<Pod> known, List<Lease> leases, Map<OwnerKey, ResourceState> states) {
        Map<String, PodInfo.Builder> pods = new TreeMap<>();
        known.forEach(pod -> pods.put(pod.ref().toString(), info(pod)));
        leases.forEach(lease -> pods.computeIfAbsent(
                        lease.pod().toString(),
                        name -> PodInfo.newBuilder().setPod(name).setUid(lease.podUid()))
                .addLeases(LeaseWire.lease(lease, states)));
        return pods.values().stream().map(PodInfo.Builder::build).toList();
    }

    /** One pod, or empty if neither side knows it. */
    static Optional<PodInfo> one(
            PodRef ref, Optional<Pod> known, List<Lease> leases, Map<OwnerKey, ResourceState> states) {
        List<Lease> own = leases.stream().filter(l -> l.pod().equals(ref)).toList();
        return union(known.map(List::of).orElse(List.of()), own, states).stream()
                .findFirst();
    }

    private static PodInfo.Builder info(Pod pod) {
        return PodInfo.newBuilder()
                .setPod(pod.ref().toString())
                .setUid(pod.uid())
                .setKnown(true)
                .setFinished(pod.finished());
    }
}

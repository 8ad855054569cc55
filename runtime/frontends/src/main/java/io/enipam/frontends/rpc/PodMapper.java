package io.enipam.frontends.rpc;

import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.kubernetes.pods.WatchedPod;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceState;
import io.enipam.v1.PodInfo;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Pods on the wire: those the API server knows, and those that still have a lease. */
final class PodMapper {
    private PodMapper() {}

    /** A pod of which nothing is known but what the engine asks for. */
    static WatchedPod plain(Pod pod) {
        return new WatchedPod(pod, WatchedPod.PodDetails.NONE, "");
    }

    /**
     * The union of both, by name.
     *
     * @param all whether these are all pods that there are, so that others are gone
     */
    static List<PodInfo> union(
            List<WatchedPod> known, List<Lease> leases, Map<OwnerKey, ResourceState> states, boolean all) {
        Map<String, PodInfo.Builder> pods = new TreeMap<>();
        known.forEach(seen -> pods.put(seen.pod().ref().toString(), info(seen)));
        leases.forEach(lease -> pods.computeIfAbsent(
                        lease.pod().toString(),
                        name -> PodInfo.newBuilder()
                                .setPod(name)
                                .setUid(lease.podUid())
                                .setPhase(all ? "" : "Unknown"))
                .addLeases(LeaseMapper.lease(lease, states)));
        return pods.values().stream().map(PodInfo.Builder::build).toList();
    }

    /** One pod, or empty if neither side knows it. */
    static Optional<PodInfo> one(
            PodRef ref,
            Optional<WatchedPod> known,
            List<Lease> leases,
            Map<OwnerKey, ResourceState> states,
            boolean all) {
        List<Lease> own = leases.stream().filter(l -> l.pod().equals(ref)).toList();
        return union(known.map(List::of).orElse(List.of()), own, states, all).stream()
                .findFirst();
    }

    private static PodInfo.Builder info(WatchedPod seen) {
        Pod pod = seen.pod();
        PodInfo.Builder info = PodInfo.newBuilder()
                .setPod(pod.ref().toString())
                .setUid(pod.uid())
                .setKnown(true)
                .setFinished(pod.finished())
                .setPhase(seen.details().phase())
                .setOwner(seen.details().owner())
                .addAllToldAddresses(
                        pod.addresses().stream().map(AddressFormat::text).toList());
        seen.details().deleting().ifPresent(since -> info.setDeleting(ProtoTime.timestamp(since)));
        if (!pod.stick().isZero()) {
            info.setStick(ProtoTime.duration(pod.stick()));
        }
        return info;
    }
}

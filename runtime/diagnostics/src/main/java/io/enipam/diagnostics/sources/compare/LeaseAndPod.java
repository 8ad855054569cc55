package io.enipam.diagnostics.sources.compare;

import io.enipam.diagnostics.sources.KnownPods;
import io.enipam.diagnostics.sources.Saying;
import io.enipam.diagnostics.sources.Snapshot;
import io.enipam.diagnostics.sources.compare.Difference.Kind;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.ResourceDb;
import io.enipam.kubernetes.pods.WatchedPod.PodDetails;
import io.enipam.sdk.PodRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Every lease's pod is there, is the same one, runs, and has the addresses that the API server tells; and every pod that has an
 * address has it from here. Of an API server that is not heard nothing follows.
 */
final class LeaseAndPod implements Comparison {
    @Override
    public List<Difference> differences(Snapshot snapshot) {
        Optional<ResourceDb.Contents> db = snapshot.told(ResourceDb.Contents.class);
        Optional<KnownPods> pods = snapshot.told(KnownPods.class);
        if (db.isEmpty() || pods.isEmpty() || pods.get().silentSince().isPresent()) {
            return List.of();
        }
        Map<PodRef, Pod> known = new HashMap<>();
        pods.get().pods().forEach(pod -> known.put(pod.ref(), pod));
        Map<PodRef, Set<String>> leased = new HashMap<>();
        db.get()
                .leases()
                .forEach(lease -> leased.computeIfAbsent(lease.pod(), pod -> new HashSet<>())
                        .addAll(Facts.hosts(lease.resource())));
        List<Difference> found = new ArrayList<>();
        for (Lease lease : db.get().leases()) {
            if (PlaceholderPod.is(lease.pod())) {
                continue; // nobody knows its pod, by its very nature
            }
            Optional<Pod> pod = Optional.ofNullable(known.get(lease.pod()));
            gone(lease, pod)
                    .ifPresentOrElse(
                            words -> found.add(difference(
                                    Kind.POD_GONE,
                                    lease,
                                    "address " + Facts.host(lease.resource()) + " is lent to pod " + lease.pod()
                                            + ", which is gone",
                                    words)),
                            () -> pod.flatMap(p -> elsewhere(p, leased.getOrDefault(p.ref(), Set.of())))
                                    .ifPresent(told -> found.add(difference(
                                            Kind.POD_TELLS_ANOTHER,
                                            lease,
                                            "pod " + lease.pod() + " has another address than its lease",
                                            "the pod's address is " + told))));
        }
        pods.get().pods().stream()
                .filter(pod -> !leased.containsKey(pod.ref()) && lives(pod, pods.get()))
                .map(LeaseAndPod::withoutLease)
                .forEach(found::add);
        return found;
    }

    /** Whether a pod should have its address from here: while it is deleted its sandbox may be gone already. */
    private static boolean lives(Pod pod, KnownPods pods) {
        return !pod.finished()
                && !pod.addresses().isEmpty()
                && pods.details(pod.ref()).flatMap(PodDetails::deleting).isEmpty();
    }

    private static Difference withoutLease(Pod pod) {
        Set<String> told = told(pod);
        return new Difference(
                Kind.POD_WITHOUT_LEASE,
                pod.ref().toString(),
                told,
                "",
                Optional.empty(),
                Optional.of(pod.ref()),
                "pod " + pod.ref() + " has an address that nobody here gave it",
                Facts.says(
                        Facts.DATABASE,
                        "no lease",
                        Facts.API_SERVER,
                        "the pod's address is " + String.join(", ", told)));
    }

    private static Set<String> told(Pod pod) {
        return pod.addresses().stream().map(AddressFormat::text).collect(Collectors.toSet());
    }

    private static Optional<String> gone(Lease lease, Optional<Pod> pod) {
        if (pod.isEmpty()) {
            return Optional.of("no such pod");
        }
        if (pod.get().finished()) {
            return Optional.of("the pod has finished");
        }
        String uid = pod.get().uid();
        return lease.podUid().isEmpty() || uid.isEmpty() || uid.equals(lease.podUid())
                ? Optional.empty()
                : Optional.of("another pod has the name now, uid " + uid);
    }

    /** What the API server tells, if none of it is leased to the pod. */
    private static Optional<String> elsewhere(Pod pod, Set<String> leased) {
        Set<String> told = told(pod);
        return told.isEmpty() || told.stream().anyMatch(leased::contains)
                ? Optional.empty()
                : Optional.of(String.join(", ", told));
    }

    private static Difference difference(Kind kind, Lease lease, String what, String apiServer) {
        return new Difference(
                kind,
                lease.owner().toString(),
                Facts.hosts(lease.resource()),
                Saying.eniOf(lease.resource()),
                Optional.of(lease.owner()),
                Optional.of(lease.pod()),
                what,
                Facts.says(Facts.DATABASE, Facts.leased(lease), Facts.API_SERVER, apiServer));
    }
}

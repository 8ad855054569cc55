package io.enipam.daemon;

import io.enipam.diagnostics.doctor.ClusterChecks.Credentials;
import io.enipam.diagnostics.doctor.ClusterChecks.NodeObject;
import io.enipam.diagnostics.doctor.ClusterChecks.PodListDifference;
import io.enipam.diagnostics.doctor.Facts.MissingFact;
import io.enipam.diagnostics.doctor.Probes;
import io.enipam.kubernetes.pods.PodInformer.WatchedPod;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;

/** The cluster's facts for the doctor, from the operators' share of requests. */
record ClusterProbes(Optional<ClusterInspector> cluster) {
    void addTo(Probes probes) {
        probes.with(ClusterState.class, () -> inspector().state())
                .with(
                        Credentials.class,
                        () -> new Credentials(
                                inspector().state().credentials(), inspector().credentials()))
                .with(
                        NodeObject.class,
                        () -> new NodeObject(
                                inspector().state().node(),
                                DoctorModule.get(inspector().node())))
                .with(PodListDifference.class, this::listed);
    }

    private ClusterInspector inspector() {
        return cluster.orElseThrow(() -> MissingFact.notApplicable("this daemon asks no API server"));
    }

    private PodListDifference listed() throws Exception {
        if (!inspector().state().watch().listed()) {
            throw new MissingFact("the pods of this node were not listed yet");
        }
        return TwoReads.of(
                this::differences,
                found -> found.unheard().isEmpty() && found.left().isEmpty(),
                (first, second) -> new PodListDifference(
                        TwoReads.common(first.unheard(), second.unheard()),
                        TwoReads.common(first.left(), second.left())));
    }

    private PodListDifference differences() throws InterruptedException, ExecutionException {
        Set<String> there = names(DoctorModule.get(inspector().listed()));
        Set<String> heard = names(inspector().pods());
        return new PodListDifference(without(there, heard), without(heard, there));
    }

    private static List<String> without(Set<String> all, Set<String> others) {
        return all.stream().filter(name -> !others.contains(name)).sorted().toList();
    }

    /** A recreated pod has another UID. */
    private static Set<String> names(List<WatchedPod> pods) {
        return pods.stream()
                .map(seen -> seen.pod().ref() + ", uid " + seen.pod().uid())
                .collect(Collectors.toSet());
    }
}

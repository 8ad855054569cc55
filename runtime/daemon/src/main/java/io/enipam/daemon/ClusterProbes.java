package io.enipam.daemon;

import io.enipam.diagnostics.doctor.ClusterChecks.Credentials;
import io.enipam.diagnostics.doctor.ClusterChecks.NodeObject;
import io.enipam.diagnostics.doctor.ClusterChecks.PodListDifference;
import io.enipam.diagnostics.doctor.Facts.MissingFact;
import io.enipam.diagnostics.doctor.Probes;
import io.enipam.kubernetes.pods.PodInformer.WatchedPod;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The cluster's facts for the doctor, from the operators' share of requests. */
record ClusterProbes(Optional<ClusterInspector> cluster) {
    /** The pause between two lists: longer than an event takes to arrive. */
    private static final Duration PAUSE = Duration.ofSeconds(2);

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

    private PodListDifference listed() throws InterruptedException, ExecutionException {
        if (!inspector().state().watch().listed()) {
            throw new MissingFact("the pods of this node were not listed yet");
        }
        PodListDifference first = differences();
        if (first.unheard().isEmpty() && first.left().isEmpty()) {
            return first;
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
        PodListDifference second = differences();
        return new PodListDifference(
                EngineProbes.common(first.unheard(), second.unheard()),
                EngineProbes.common(first.left(), second.left()));
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

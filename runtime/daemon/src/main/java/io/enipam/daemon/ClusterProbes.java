package io.enipam.daemon;

import io.enipam.diagnostics.doctor.ClusterChecks.Credentials;
import io.enipam.diagnostics.doctor.ClusterChecks.NodeObject;
import io.enipam.diagnostics.doctor.ClusterChecks.PodListDifference;
import io.enipam.diagnostics.doctor.Facts.MissingFact;
import io.enipam.diagnostics.doctor.Probes;
import io.enipam.kubernetes.pods.PodInformer.WatchedPod;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The cluster's facts for the doctor, from the operators' share of requests. */
record ClusterProbes(Optional<ClusterInspector> cluster) {
    /** The pause between two lists: longer than an event takes to arrive. */
    private static final Duration PAUSE = Duration.ofSeconds(2);

    Probes addTo(Probes probes) {
        return probes.with(ClusterState.class, () -> sight().state())
                .with(Credentials.class, this::credentials)
                .with(NodeObject.class, this::node)
                .with(PodListDifference.class, this::listed);
    }

    private ClusterInspector sight() {
        return cluster.orElseThrow(() -> MissingFact.notApplicable("this daemon asks no API server"));
    }

    private Credentials credentials() throws IOException {
        return new Credentials(sight().state().credentials(), sight().credentials());
    }

    private NodeObject node() throws InterruptedException, ExecutionException {
        return new NodeObject(sight().state().node(), soon(sight().node()));
    }

    private PodListDifference listed() throws InterruptedException, ExecutionException {
        if (!sight().state().watch().listed()) {
            throw new MissingFact("the pods of this node were not listed yet");
        }
        PodListDifference first = differences();
        if (first.unheard().isEmpty() && first.left().isEmpty()) {
            return first;
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
        PodListDifference second = differences();
        return new PodListDifference(
                second.unheard().stream().filter(first.unheard()::contains).toList(),
                second.left().stream().filter(first.left()::contains).toList());
    }

    private PodListDifference differences() throws InterruptedException, ExecutionException {
        Set<String> there = names(soon(sight().listed()));
        Set<String> heard = names(sight().pods());
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

    private static <T> T soon(CompletionStage<T> stage) throws InterruptedException, ExecutionException {
        return stage.toCompletableFuture().get();
    }
}

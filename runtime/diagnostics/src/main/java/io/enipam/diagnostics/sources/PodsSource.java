package io.enipam.diagnostics.sources;

import io.enipam.diagnostics.sources.Saying.Topic;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.PodDirectory;
import io.enipam.kubernetes.pods.WatchedPod.PodDetails;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** Which pods this node has where no API server is watched: the simulated one of a sandbox, or nobody. */
public final class PodsSource implements Source<KnownPods> {
    static final String NAME = "API server";

    private final PodDirectory pods;

    public PodsSource(PodDirectory pods) {
        this.pods = pods;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Class<KnownPods> type() {
        return KnownPods.class;
    }

    @Override
    public Optional<String> absent() {
        return pods.isAuthoritative()
                ? Optional.empty()
                : Optional.of("no cluster is asked: every pod that a call names is taken to exist");
    }

    @Override
    public Duration patience() {
        return Duration.ofSeconds(5);
    }

    @Override
    public CompletionStage<KnownPods> ask() {
        return pods.list().thenApply(KnownPods::new);
    }

    @Override
    public List<Saying> sayings(KnownPods told) {
        return told.pods().stream()
                .map(pod -> saying(pod, told.details(pod.ref()), told.silentSince()))
                .toList();
    }

    /**
     * What is known of a pod, in words.
     *
     * @param silentSince since when nothing new is heard of it
     */
    static Saying saying(Pod pod, Optional<PodDetails> details, Optional<Instant> silentSince) {
        return new Saying(
                Topic.POD,
                pod.uid(),
                pod.addresses().stream().map(AddressFormat::text).collect(Collectors.toSet()),
                "",
                Optional.empty(),
                Optional.of(pod.ref()),
                pod.finished() ? "FINISHED" : "RUNNING",
                details.flatMap(PodDetails::deleting),
                PodWords.of(pod, details) + (silentSince.isEmpty() ? "" : ", when it was heard last"));
    }
}

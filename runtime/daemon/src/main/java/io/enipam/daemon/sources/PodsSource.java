package io.enipam.daemon.sources;

import io.enipam.daemon.sources.Saying.Topic;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.PodDirectory;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** The API server: which pods this node has. */
public final class PodsSource implements Source<KnownPods> {
    private final PodDirectory pods;

    public PodsSource(PodDirectory pods) {
        this.pods = pods;
    }

    @Override
    public String name() {
        return "API server";
    }

    @Override
    public Class<KnownPods> type() {
        return KnownPods.class;
    }

    @Override
    public Optional<String> absent() {
        return pods.knowsAll()
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
        return told.pods().stream().map(PodsSource::pod).toList();
    }

    private static Saying pod(Pod pod) {
        return new Saying(
                Topic.POD,
                pod.uid(),
                pod.addresses().stream().map(InetAddress::getHostAddress).collect(Collectors.toSet()),
                "",
                Optional.empty(),
                Optional.of(pod.ref()),
                pod.finished() ? "FINISHED" : "RUNNING",
                Optional.empty(),
                "pod " + pod.ref() + (pod.finished() ? " has finished" : " exists"));
    }
}

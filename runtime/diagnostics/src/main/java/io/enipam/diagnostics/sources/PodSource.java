package io.enipam.diagnostics.sources;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.enipam.diagnostics.sources.Statement.Topic;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.PodDirectory;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.pods.PodInformer.WatchedPod;
import io.enipam.kubernetes.pods.PodInformer.WatchedPod.PodDetails;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.node.cluster.ClusterInspector.WatchState;
import io.enipam.sdk.PodRef;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/** The pods of this node: by the API server, or, where none is watched, by the directory of a sandbox. */
public final class PodSource {
    private static final long KIBI = 1024;

    private PodSource() {}

    /** Where no API server is watched. */
    public static Source<KnownPods> of(PodDirectory directory) {
        return source(
                () -> Optional.of("no cluster is asked: every pod that a call names is taken to exist")
                        .filter(why -> !directory.isAuthoritative()),
                anew -> directory.list().thenApply(KnownPods::new));
    }

    /**
     * The pods of the watch, which cost nothing. They are listed only for a caller that asks anew, within the
     * operators' share of the requests; if that is used up, the watch answers.
     */
    public static Source<KnownPods> of(ClusterInspector cluster) {
        return source(Optional::empty, anew -> anew ? listed(cluster) : watched(cluster));
    }

    /** All pods there are, as they are known without asking anybody; empty while some may be unknown. */
    public static Optional<Set<PodRef>> all(PodDirectory directory, Optional<ClusterInspector> cluster) {
        if (cluster.isPresent()) {
            WatchState watch = cluster.get().watch();
            return watch.listed() && watch.heard() ? Optional.of(cluster.get().names()) : Optional.empty();
        }
        CompletableFuture<List<Pod>> pods = directory.list().toCompletableFuture();
        return directory.isAuthoritative() && pods.isDone() && !pods.isCompletedExceptionally()
                ? Optional.of(pods.join().stream().map(Pod::ref).collect(toSet()))
                : Optional.empty();
    }

    private static Source<KnownPods> source(
            Supplier<Optional<String>> absent, Function<Boolean, CompletionStage<KnownPods>> ask) {
        return new Source<>(
                Source.API_SERVER,
                KnownPods.class,
                Duration.ofSeconds(5),
                false,
                absent,
                ask,
                answer -> answer.pods().stream()
                        .map(pod -> statement(pod, answer))
                        .toList());
    }

    private static CompletionStage<KnownPods> listed(ClusterInspector cluster) {
        return cluster.listed()
                .thenApply(listed -> KnownPods.of(listed, Optional.empty()))
                .exceptionallyCompose(error -> ApiServerClient.isRateLimited(Stages.cause(error))
                        ? watched(cluster)
                        : CompletableFuture.failedStage(error));
    }

    private static CompletionStage<KnownPods> watched(ClusterInspector cluster) {
        WatchState watch = cluster.state().watch();
        return watch.listed()
                ? CompletableFuture.completedFuture(
                        KnownPods.of(cluster.pods(), watch.up() ? Optional.empty() : Optional.of(watch.since())))
                : CompletableFuture.failedFuture(
                        new IOException("the pods of this node are not known yet: " + watch.trouble()));
    }

    /**
     * The pods of this node as the API server knows them.
     *
     * @param pods in no particular order
     * @param details what else is known of them, where something is
     * @param silentSince since when the API server sends nothing: its earlier answers may be out of date, and prove
     *     nothing
     */
    public record KnownPods(List<Pod> pods, Map<PodRef, PodDetails> details, Optional<Instant> silentSince) {
        /** All pods, without further details. */
        public KnownPods(List<Pod> pods) {
            this(pods, Map.of(), Optional.empty());
        }

        static KnownPods of(List<WatchedPod> seen, Optional<Instant> silentSince) {
            return new KnownPods(
                    seen.stream().map(WatchedPod::pod).toList(),
                    seen.stream().collect(toMap(pod -> pod.pod().ref(), WatchedPod::details, (first, same) -> first)),
                    silentSince);
        }

        public Optional<PodDetails> details(PodRef ref) {
            return Optional.ofNullable(details.get(ref));
        }
    }

    private static Statement statement(Pod pod, KnownPods answer) {
        Optional<PodDetails> details = answer.details(pod.ref());
        String words = sentence(pod, details) + (answer.silentSince().isEmpty() ? "" : ", when it was heard last");
        return Statement.of(
                        Topic.POD, Statement.texts(pod.addresses()), "", pod.finished() ? "FINISHED" : "RUNNING", words)
                .owned(Optional.empty(), Optional.of(pod.ref()))
                .since(details.flatMap(PodDetails::deleting));
    }

    private static String sentence(Pod pod, Optional<PodDetails> details) {
        List<String> parts = new ArrayList<>();
        parts.add("pod " + pod.ref() + (pod.finished() ? " has finished" : " exists"));
        details.ifPresent(known -> {
            parts.add(known.phase());
            parts.add(known.deleting().isPresent() ? "being deleted" : "");
            parts.add(known.owner().isEmpty() ? "" : "of " + known.owner());
            parts.add(pod.uid().isEmpty() ? "" : "uid " + pod.uid());
            String addresses = pod.addresses().stream().map(AddressFormat::text).collect(joining(" and "));
            parts.add(addresses.isEmpty() ? "without an address" : "address " + addresses);
        });
        if (!pod.stick().isZero()) {
            long seconds = pod.stick().toSeconds();
            parts.add("its address is kept for it for " + (seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s"));
        }
        pod.wishes().ingress().ifPresent(bytes -> parts.add("wants at most " + rate(bytes) + " in"));
        pod.wishes().egress().ifPresent(bytes -> parts.add("wants at most " + rate(bytes) + " out"));
        parts.add(pod.wishes().ownEni() ? "wants an ENI of its own" : "");
        return parts.stream().filter(part -> !part.isEmpty()).collect(joining(", "));
    }

    /** As annotations write it, where that is no less exact. */
    private static String rate(long bytes) {
        String units = "KMGT";
        long rest = bytes;
        int power = 0;
        while (power < units.length() && rest >= KIBI && rest % KIBI == 0) {
            rest /= KIBI;
            power++;
        }
        return rest + " " + (power == 0 ? "" : units.charAt(power - 1) + "i") + "B/s";
    }
}

package io.enipam.diagnostics.sources;

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
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The pods of this node: by the API server, or, where none is watched, by the directory of a sandbox. */
public final class ApiServerSource extends Source<ApiServerSource.KnownPods> {
    private static final long KIBI = 1024;

    private final Supplier<Optional<String>> absent;
    private final Function<Boolean, CompletionStage<KnownPods>> pods;

    private ApiServerSource(Supplier<Optional<String>> absent, Function<Boolean, CompletionStage<KnownPods>> pods) {
        super(API_SERVER, KnownPods.class, Duration.ofSeconds(5));
        this.absent = absent;
        this.pods = pods;
    }

    /** Where no API server is watched. */
    public static ApiServerSource of(PodDirectory directory) {
        return new ApiServerSource(
                () -> directory.isAuthoritative()
                        ? Optional.empty()
                        : Optional.of("no cluster is asked: every pod that a call names is taken to exist"),
                anew -> directory.list().thenApply(KnownPods::new));
    }

    /**
     * The pods of the watch, which cost nothing. They are listed only for a caller that asks {@code anew}, within the
     * operators' share of the requests; if that is used up, the watch answers.
     */
    public static ApiServerSource of(ClusterInspector cluster) {
        return new ApiServerSource(
                Optional::empty,
                anew -> anew
                        ? cluster.listed()
                                .thenApply(listed -> KnownPods.of(listed, Optional.empty()))
                                .exceptionallyCompose(error -> ApiServerClient.isRateLimited(Stages.cause(error))
                                        ? watched(cluster)
                                        : CompletableFuture.failedStage(error))
                        : watched(cluster));
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
        public KnownPods {
            pods = List.copyOf(pods);
            details = Map.copyOf(details);
        }

        /** All pods, without further details. */
        public KnownPods(List<Pod> pods) {
            this(pods, Map.of(), Optional.empty());
        }

        static KnownPods of(List<WatchedPod> seen, Optional<Instant> silentSince) {
            return new KnownPods(
                    seen.stream().map(WatchedPod::pod).toList(),
                    seen.stream()
                            .collect(Collectors.toMap(
                                    pod -> pod.pod().ref(), WatchedPod::details, (first, same) -> first)),
                    silentSince);
        }

        public Optional<PodDetails> details(PodRef ref) {
            return Optional.ofNullable(details.get(ref));
        }
    }

    @Override
    public Optional<String> absent() {
        return absent.get();
    }

    @Override
    public CompletionStage<KnownPods> ask() {
        return ask(false);
    }

    @Override
    public CompletionStage<KnownPods> ask(boolean anew) {
        return pods.apply(anew);
    }

    @Override
    public List<Statement> statements(KnownPods answer) {
        return answer.pods().stream()
                .map(pod -> statement(pod, answer.details(pod.ref()), answer.silentSince()))
                .toList();
    }

    private static Statement statement(Pod pod, Optional<PodDetails> details, Optional<Instant> silentSince) {
        return new Statement(
                Topic.POD,
                pod.addresses().stream().map(AddressFormat::text).collect(Collectors.toSet()),
                "",
                Optional.empty(),
                Optional.of(pod.ref()),
                pod.finished() ? "FINISHED" : "RUNNING",
                details.flatMap(PodDetails::deleting),
                sentence(pod, details) + (silentSince.isEmpty() ? "" : ", when it was heard last"));
    }

    private static String sentence(Pod pod, Optional<PodDetails> details) {
        List<String> parts = new ArrayList<>();
        parts.add("pod " + pod.ref() + (pod.finished() ? " has finished" : " exists"));
        details.ifPresent(known -> {
            if (!known.phase().isEmpty()) {
                parts.add(known.phase());
            }
            if (known.deleting().isPresent()) {
                parts.add("being deleted");
            }
            if (!known.owner().isEmpty()) {
                parts.add("of " + known.owner());
            }
            if (!pod.uid().isEmpty()) {
                parts.add("uid " + pod.uid());
            }
            parts.add(
                    pod.addresses().isEmpty()
                            ? "without an address"
                            : "address "
                                    + pod.addresses().stream()
                                            .map(AddressFormat::text)
                                            .collect(Collectors.joining(" and ")));
        });
        if (!pod.stick().isZero()) {
            Duration stick = pod.stick();
            parts.add("its address is kept for it for "
                    + (stick.toSeconds() % 60 == 0 ? stick.toMinutes() + "m" : stick.toSeconds() + "s"));
        }
        rate("in", pod.wishes().ingress(), parts);
        rate("out", pod.wishes().egress(), parts);
        if (pod.wishes().ownEni()) {
            parts.add("wants an ENI of its own");
        }
        return String.join(", ", parts);
    }

    private static void rate(String direction, OptionalLong bytes, List<String> parts) {
        if (bytes.isPresent()) {
            parts.add("wants at most " + rate(bytes.getAsLong()) + " " + direction);
        }
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

package io.enipam.kubernetes.pods;

import static java.net.HttpURLConnection.HTTP_NOT_FOUND;

import io.enipam.engine.model.Pod;
import io.enipam.engine.port.PodDirectory;
import io.enipam.engine.port.PodDirectory.PodLookupResult;
import io.enipam.kubernetes.api.ApiSerialization;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.node.ClusterReader;
import io.enipam.kubernetes.pods.PodInformer.WatchedPod;
import io.enipam.sdk.PodRef;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The engine's pod directory on the API server: a single pod is requested by name, uncached; the list comes from the
 * watch while that is current. Thread-safe.
 *
 * <p>A pod in the node's own network is not ours: a pod never changes to it from a network of its own.
 */
public class ApiServerPodDirectory implements PodDirectory {
    /** Longer than an API server's usual recovery. */
    private static final Duration SECOND_LOOK = Duration.ofSeconds(30);

    private final ApiServerClient calls;
    private final PodInformer watch;
    private final ManifestParser reader;
    private final String node;
    private final ClusterReader cluster;

    public ApiServerPodDirectory(ApiServerClient calls, PodInformer watch, ManifestParser reader, String node) {
        this.calls = calls;
        this.watch = watch;
        this.reader = reader;
        this.node = node;
        this.cluster = new ClusterReader(calls, node);
    }

    @Override
    public CompletionStage<PodLookupResult> locate(PodRef pod) {
        return calls.request(
                "GET pod " + pod,
                client -> get(client, pod).map(this::sighting).orElseGet(PodLookupResult.NotFound::new));
    }

    private PodLookupResult sighting(io.fabric8.kubernetes.api.model.Pod found) {
        if (ManifestParser.inHostNetwork(found)) {
            return new PodLookupResult.NotFound();
        }
        Pod pod = reader.parse(found).pod();
        String its = found.getSpec() == null ? null : found.getSpec().getNodeName();
        return its == null || its.isEmpty() || its.equals(node)
                ? new PodLookupResult.OnThisNode(pod)
                : new PodLookupResult.OnOtherNode(pod, its);
    }

    /** An ADD on this node contradicts an answer that the pod is on another node: one of them is wrong. */
    @Override
    public CompletionStage<Optional<Pod>> find(PodRef pod) {
        return locate(pod).thenCompose(sighting -> {
            if (sighting instanceof PodLookupResult.OnOtherNode there) {
                return CompletableFuture.failedFuture(new IOException("GET pod " + pod + ": it is on node "
                        + there.node() + ", and this node is called " + node + "; see that node.name is right"));
            }
            return CompletableFuture.completedFuture(
                    sighting instanceof PodLookupResult.OnThisNode here ? Optional.of(here.pod()) : Optional.empty());
        });
    }

    @Override
    public Optional<Pod> lastKnown(PodRef pod) {
        return watch.find(pod);
    }

    @Override
    public CompletionStage<List<Pod>> list() {
        return watch.isCurrent()
                ? CompletableFuture.completedFuture(watch.pods())
                : CompletableFuture.failedFuture(
                        new IOException("the API server's pods are not known: " + watch.failureReason()));
    }

    @Override
    public CompletionStage<List<Pod>> listUncached() {
        return calls.request(
                "LIST pods of node " + node,
                client -> listed(client).map(pod -> reader.parse(pod).pod()).toList());
    }

    /**
     * This node's pods, listed anew from the operators' share of requests; see
     * {@link ApiServerClient#requestInteractive}.
     *
     * @return without those in the node's own network; fails with {@link IOException}
     */
    public CompletionStage<List<WatchedPod>> listInteractive() {
        return calls.requestInteractive(
                "LIST pods of node " + node,
                client -> listed(client).map(reader::watched).toList());
    }

    private Stream<io.fabric8.kubernetes.api.model.Pod> listed(KubernetesClient client) {
        return client.pods().inAnyNamespace().withField("spec.nodeName", node).list().getItems().stream()
                .filter(pod -> !ManifestParser.inHostNetwork(pod));
    }

    /**
     * One pod by its name. The client treats every 404 as proof that the pod does not exist, but proxies and other
     * servers at a wrong address answer 404, too. Only an API server states which kind of object it has not found.
     *
     * @return empty if the pod does not exist
     * @throws KubernetesClientException if the request is refused, or the answer is neither that pod nor its absence
     * @see <a href="https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/">Status</a>
     */
    private static Optional<io.fabric8.kubernetes.api.model.Pod> get(KubernetesClient client, PodRef ref) {
        String path = "/api/v1/namespaces/" + ref.namespace() + "/pods/" + ref.name();
        try {
            var pod = ApiSerialization.INSTANCE.unmarshal(
                    client.raw(path, "GET", null), io.fabric8.kubernetes.api.model.Pod.class);
            boolean asked = pod != null && pod.getMetadata() != null && "Pod".equals(pod.getKind());
            if (!asked || !ManifestParser.ref(pod).equals(ref)) {
                throw unexpected("what came is not this pod");
            }
            return Optional.of(pod);
        } catch (KubernetesClientException e) {
            if (e.getCode() != HTTP_NOT_FOUND) {
                throw e;
            }
            if (!isOfPods(e.getStatus())) {
                throw unexpected("404, but not by an API server that knows pods");
            }
            return Optional.empty();
        }
    }

    private static boolean isOfPods(@Nullable Status status) {
        return status != null
                && "NotFound".equals(status.getReason())
                && status.getDetails() != null
                && "pods".equals(status.getDetails().getKind());
    }

    private static KubernetesClientException unexpected(String why) {
        return new KubernetesClientException(
                why, -1, new StatusBuilder().withMessage(why).build());
    }

    @Override
    public CompletionStage<Void> verifyIdentity() {
        return cluster.verifyIdentity(ClusterReader.BOOT_ID);
    }

    @Override
    public Duration recheckDelay() {
        return SECOND_LOOK;
    }
}

package io.enipam.kubernetes.pods;

import io.enipam.sdk.PodRef;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One pod by its name, from the API server and nobody else. The client takes every 404 for the word that there is no such pod;
 * proxies say 404, too, and so does whatever else listens at a wrong address. Only an API server says which kind of object it
 * has not found.
 *
 * @see <a href="https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/">Status</a>
 */
final class PodGetRequest {
    private static final int NOT_FOUND = 404;

    private PodGetRequest() {}

    /**
     * @return empty if there is no such pod
     * @throws KubernetesClientException if it is refused, or the answer is neither that pod nor that it is not there
     */
    static Optional<Pod> get(KubernetesClient client, PodRef ref) {
        String path = "/api/v1/namespaces/" + ref.namespace() + "/pods/" + ref.name();
        try {
            Pod pod = Serialization.unmarshal(client.raw(path, "GET", null), Pod.class);
            boolean asked = pod != null && pod.getMetadata() != null && "Pod".equals(pod.getKind());
            if (!asked || !ManifestParser.ref(pod).equals(ref)) {
                throw strange("what came is not this pod");
            }
            return Optional.of(pod);
        } catch (KubernetesClientException e) {
            if (e.getCode() != NOT_FOUND) {
                throw e;
            }
            if (!isOfPods(e.getStatus())) {
                throw strange("404, but not by an API server that knows pods");
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

    private static KubernetesClientException strange(String why) {
        return new KubernetesClientException(
                why, -1, new StatusBuilder().withMessage(why).build());
    }
}

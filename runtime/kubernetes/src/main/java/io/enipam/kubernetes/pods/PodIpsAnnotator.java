package io.enipam.kubernetes.pods;

import static java.net.HttpURLConnection.HTTP_BAD_REQUEST;
import static java.net.HttpURLConnection.HTTP_CONFLICT;
import static java.net.HttpURLConnection.HTTP_FORBIDDEN;
import static java.net.HttpURLConnection.HTTP_NOT_FOUND;

import io.enipam.kubernetes.api.ApiSerialization;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.pods.ManifestParser.PodAnnotations;
import io.enipam.sdk.PodRef;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/**
 * Writes the addresses of a pod to the pod, as terway's annotation {@code k8s.aliyun.com/pod-ips}: clients that watch
 * pods see them before the kubelet has reported them. Thread-safe.
 *
 * <p>The request is a JSON merge patch with the pod's UID. The API server never changes a UID, so a recreated pod
 * refuses its predecessor's patch; the patch contains nothing else, so it undoes no other change.
 *
 * @see <a href="https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-apply">API concepts: patch</a>
 */
public record PodIpsAnnotator(ApiServerClient calls) {
    public enum Outcome {
        /** The pod has the annotation. */
        WRITTEN,
        /** The pod is gone: no pod has the name, or it has another UID. */
        GONE,
        /** Another client changed the pod at the same time, or the name belongs to another pod: retry. */
        CONFLICT,
        /** The daemon may not change pods. */
        FORBIDDEN,
        /** What admits changes of this pod refuses this one, a webhook as a rule, or does not work: retry. Other pods may fare better. */
        NOT_ADMITTED
    }

    /** A webhook refuses with any code, 400 unless it says another one; one that does not answer is a 500 of the API server. */
    private static final Pattern ADMISSION = Pattern.compile("calling webhook|denied (?:the )?request");

    /**
     * @param uid the pod's, not empty
     * @param addresses separated by commas
     * @return fails with {@link java.io.IOException} if there is no answer, or an unexpected one
     */
    public CompletableFuture<Outcome> write(PodRef pod, String uid, String addresses) {
        if (uid.isEmpty()) {
            throw new IllegalArgumentException("pod " + pod + " without a UID may be another one of that name");
        }
        String patch = ApiSerialization.INSTANCE.asJson(
                Map.of("metadata", Map.of("uid", uid, "annotations", Map.of(PodAnnotations.POD_IPS, addresses))));
        return calls.request("PATCH pod " + pod, client -> {
            try {
                // edit a local object: otherwise the client would first get it from the server
                Pod patched = client.resource(new PodBuilder()
                                .withNewMetadata()
                                .withNamespace(pod.namespace())
                                .withName(pod.name())
                                .endMetadata()
                                .build())
                        .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
                return patched == null ? Outcome.GONE : Outcome.WRITTEN;
            } catch (KubernetesClientException e) {
                return meaning(e).orElseThrow(() -> e);
            }
        });
    }

    private static Optional<Outcome> meaning(KubernetesClientException refusal) {
        Optional<String> why = Optional.ofNullable(refusal.getStatus()).map(Status::getMessage);
        if (why.filter(text -> ADMISSION.matcher(text).find()).isPresent()) {
            return Optional.of(Outcome.NOT_ADMITTED);
        }
        return switch (refusal.getCode()) {
            // for a wrong UID some servers report an invalid change and others a conflict
            case HTTP_NOT_FOUND, 422 -> Optional.of(Outcome.GONE);
            case HTTP_CONFLICT -> Optional.of(Outcome.CONFLICT);
            case HTTP_FORBIDDEN -> Optional.of(Outcome.FORBIDDEN);
            case HTTP_BAD_REQUEST -> Optional.of(Outcome.NOT_ADMITTED);
            default -> Optional.empty();
        };
    }
}

package io.enipam.kubernetes.api;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A patch that is one request. The client's own asks for the object first: twice the requests, and a right to get that nobody
 * needs.
 *
 * @param path of the object, such as {@code /api/v1/nodes/node-1/status}
 * @param type of the body
 * @param body the patch, JSON
 */
public record Patch(String path, Type type, String body) {
    private static final int NOT_FOUND = 404;

    /** How a patch is merged into the object. */
    public enum Type {
        /** A list is replaced. */
        MERGE("application/merge-patch+json"),
        /** A list with a merge key, such as conditions, is merged. */
        STRATEGIC("application/strategic-merge-patch+json");

        private final String contentType;

        Type(String contentType) {
            this.contentType = contentType;
        }
    }

    /**
     * Sends it; blocks until there is an answer.
     *
     * @param limit how long that may take
     * @return false if there is no such object
     * @throws KubernetesClientException if the server refuses it, or does not answer
     */
    boolean send(KubernetesClient client, Duration limit) {
        HttpClient http = client.getHttpClient();
        String server = client.getConfiguration().getMasterUrl().replaceFirst("/+$", "");
        HttpRequest request = http.newHttpRequestBuilder()
                .uri(server + path)
                .method("PATCH", type.contentType, body)
                .timeout(limit.toMillis(), TimeUnit.MILLISECONDS)
                .build();
        HttpResponse<String> response;
        try {
            response = http.sendAsync(request, String.class).join();
        } catch (CompletionException e) {
            throw new KubernetesClientException("PATCH " + path, e.getCause() == null ? e : e.getCause());
        }
        if (response.code() == NOT_FOUND) {
            return false;
        }
        if (!response.isSuccessful()) {
            throw new KubernetesClientException("PATCH " + path, response.code(), status(response.body()));
        }
        return true;
    }

    private static @Nullable Status status(@Nullable String body) {
        try {
            return body == null ? null : Serialization.unmarshal(body, Status.class);
        } catch (RuntimeException e) {
            // a proxy's page: its code says enough
            return null;
        }
    }
}

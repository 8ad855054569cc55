package io.enipam.kubernetes.api;

import static java.net.HttpURLConnection.HTTP_CONFLICT;
import static java.net.HttpURLConnection.HTTP_FORBIDDEN;
import static java.net.HttpURLConnection.HTTP_NOT_FOUND;
import static java.net.HttpURLConnection.HTTP_UNAUTHORIZED;
import static java.net.HttpURLConnection.HTTP_UNAVAILABLE;

import io.enipam.engine.concurrent.Stages;
import io.enipam.kubernetes.api.ApiHttpClientFactory.RetryAfterGate;
import io.enipam.kubernetes.api.ApiServerClient.NotSentException;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusCause;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a request's failure says to a part of a plugin: above all whether the request can have had an effect.
 *
 * @see <a href="https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#http-status-codes">API conventions: status codes</a>
 */
public final class RequestFailure {
    private RequestFailure() {}

    /** @param error what a stage of {@link ApiServerClient} failed with; its message names the request */
    public static Failed of(String what, Throwable error) {
        Throwable cause = Stages.cause(error);
        String message = cause instanceof IOException ? String.valueOf(cause.getMessage()) : what + ": " + cause;
        if (cause instanceof NotSentException) {
            boolean limited =
                    ApiServerClient.isRateLimited(cause) || cause.getCause() instanceof RetryAfterGate.StillClosed;
            return Failed.of(limited ? ErrorKind.THROTTLED : ErrorKind.UNAVAILABLE, message);
        }
        if (cause.getCause() instanceof KubernetesClientException refusal) {
            return new Failed(kind(refusal), message, retryAfter(refusal.getStatus()));
        }
        // among them a request that was given up while it was on its way
        return Failed.of(ErrorKind.DEADLINE_EXCEEDED, message);
    }

    private static ErrorKind kind(KubernetesClientException refusal) {
        return switch (Math.max(0, refusal.getCode())) {
            case 0 -> hasConnected(refusal) ? ErrorKind.DEADLINE_EXCEEDED : ErrorKind.UNAVAILABLE;
            case HTTP_UNAUTHORIZED, HTTP_FORBIDDEN -> ErrorKind.UNAUTHORIZED;
            case HTTP_NOT_FOUND -> isOfObject(refusal.getStatus()) ? ErrorKind.NOT_FOUND : ErrorKind.MISCONFIGURED;
            case HTTP_CONFLICT, 410 -> ErrorKind.CONFLICT;
            case 422 -> isOfUid(refusal.getStatus()) ? ErrorKind.CONFLICT : ErrorKind.MISCONFIGURED;
            case 429 -> ErrorKind.THROTTLED;
            case HTTP_UNAVAILABLE -> ErrorKind.UNAVAILABLE;
            // etcd did not answer the server in time, or a proxy gave the server up
            default -> refusal.getCode() >= 500 ? ErrorKind.DEADLINE_EXCEEDED : ErrorKind.INTERNAL;
        };
    }

    private static boolean hasConnected(Throwable refusal) {
        for (Throwable at = refusal; at != null && at != at.getCause(); at = at.getCause()) {
            if (at instanceof ConnectException
                    || at instanceof HttpConnectTimeoutException
                    || at instanceof UnknownHostException) {
                return false;
            }
        }
        return true;
    }

    /** A server without such a kind answers 404, too, and so do proxies: neither names an object. */
    private static boolean isOfObject(@Nullable Status status) {
        return status != null
                && "NotFound".equals(status.getReason())
                && status.getDetails() != null
                && status.getDetails().getName() != null;
    }

    /** The patch was meant for an earlier object of the name. */
    private static boolean isOfUid(@Nullable Status status) {
        List<StatusCause> causes = status == null
                        || status.getDetails() == null
                        || status.getDetails().getCauses() == null
                ? List.of()
                : status.getDetails().getCauses();
        return causes.stream().anyMatch(cause -> "metadata.uid".equals(cause.getField()))
                || (status != null && String.valueOf(status.getMessage()).contains("metadata.uid: Invalid value"));
    }

    private static Duration retryAfter(@Nullable Status status) {
        return Optional.ofNullable(status)
                .flatMap(its -> Optional.ofNullable(its.getDetails()))
                .flatMap(its -> Optional.ofNullable(its.getRetryAfterSeconds()))
                .filter(seconds -> seconds > 0)
                .map(Duration::ofSeconds)
                .orElse(Duration.ZERO);
    }
}

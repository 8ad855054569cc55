package io.enipam.kubernetes.api;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Hears when the server wants a rest. Lists and watches are repeated by the client itself, which reads {@code Retry-After} and then
 * goes by its own interval all the same (fabric8 7.8): their refusal is handed to it when the rest is over. Thread-safe.
 */
record RetryAfterInterceptor(RetryAfterGate rest, Executor threads) implements Interceptor {
    /** Below what a list or a watch may take, so that it is not taken for one without an answer. */
    private static final Duration LONGEST = Duration.ofSeconds(20);

    @Override
    public void after(HttpRequest request, HttpResponse<?> response, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
        rest.onResponse(response.code(), response.header("Retry-After"));
    }

    @Override
    public CompletableFuture<Boolean> afterFailure(BasicBuilder builder, HttpResponse<?> response, RequestTags tags) {
        CompletableFuture<Boolean> answered = CompletableFuture.completedFuture(false);
        HttpRequest request = response.request();
        String name = request == null ? "" : RequestName.of(request.method(), request.uri());
        if (rest.left().isZero() || !(name.startsWith("LIST ") || name.startsWith("WATCH "))) {
            return answered;
        }
        long nanos = Math.min(rest.left().toNanos(), LONGEST.toNanos());
        return answered.thenApplyAsync(
                no -> no, CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, threads));
    }
}

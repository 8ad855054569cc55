package io.enipam.kubernetes.api;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.nio.ByteBuffer;
import java.util.List;

/** Sees every answer that the client gets, and tells the watcher. Thread-safe. */
record RequestCounter(RequestWatcher watcher) implements Interceptor {
    @Override
    public void after(HttpRequest request, HttpResponse<?> response, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
        watcher.done(RequestName.of(request.method(), request.uri()), response.code());
    }

    @Override
    public void afterConnectionFailure(HttpRequest request, Throwable failure) {
        watcher.done(RequestName.of(request.method(), request.uri()), 0);
    }
}

package io.enipam.kubernetes.api;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Sees every answer that the client gets, and tells the watcher. Thread-safe. */
record RequestCountInterceptor(RequestListener watcher) implements Interceptor {
    @Override
    public void after(HttpRequest request, HttpResponse<?> response, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
        watcher.onCompleted(RequestName.of(request.method(), request.uri()), response.code());
        date(response.header("Date")).ifPresent(watcher::onServerDate);
    }

    private static Optional<Instant> date(@Nullable String header) {
        try {
            return Optional.ofNullable(header)
                    .map(DateTimeFormatter.RFC_1123_DATE_TIME::parse)
                    .map(Instant::from);
        } catch (DateTimeParseException e) {
            // a proxy in between: whatever it means, it is no time
            return Optional.empty();
        }
    }

    @Override
    public void afterConnectionFailure(HttpRequest request, Throwable failure) {
        watcher.onCompleted(RequestName.of(request.method(), request.uri()), 0);
    }
}

package io.enipam.kubernetes.api;

import io.enipam.kubernetes.api.ApiServerClient.RequestListener;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientImpl;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The JDK's HTTP client on threads of its own, with interceptors that count answers, obey {@code Retry-After} and serve
 * lists from the server's cache. Thread-safe.
 */
final class ApiHttpClientFactory extends JdkHttpClientFactory {
    private final ExecutorService threads = Executors.newCachedThreadPool(RequestExecutor.threads("api-server-client"));
    private final RequestListener listener;
    private final RetryAfterGate gate;

    ApiHttpClientFactory(RequestListener listener, RetryAfterGate gate) {
        this.listener = listener;
        this.gate = gate;
    }

    @Override
    public HttpClient.Builder newBuilder(Config config) {
        try {
            return ReloadingTls.builder(config, () -> super.newBuilder(config))
                    .addOrReplaceInterceptor("enipam-count", new CountInterceptor())
                    .addOrReplaceInterceptor("enipam-rest", new RetryAfterInterceptor())
                    .addOrReplaceInterceptor("enipam-cached", new CachedListInterceptor());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected java.net.http.HttpClient.Builder createNewHttpClientBuilder() {
        return DedicatedThreadsHttpClient.builder(threads);
    }

    @Override
    protected void closeHttpClient(JdkHttpClientImpl client) {
        threads.shutdownNow();
    }

    /**
     * The name under which a request is counted: verb and resource, without the name of an object, so that names are
     * few.
     *
     * @see <a href="https://kubernetes.io/docs/reference/using-api/api-concepts/">API concepts: resource URIs</a>
     */
    static String nameOf(String method, URI uri) {
        String path = uri.getPath() == null ? "" : uri.getPath();
        List<String> parts = new ArrayList<>(List.of(path.split("/")));
        parts.removeIf(String::isEmpty);
        // api/v1/… or apis/GROUP/VERSION/…
        int prefix = !parts.isEmpty() && parts.get(0).equals("apis") ? 3 : 2;
        List<String> rest = parts.size() > prefix ? parts.subList(prefix, parts.size()) : List.of();
        if (rest.size() > 2 && rest.get(0).equals("namespaces")) {
            rest = rest.subList(2, rest.size());
        }
        String verb = method.toUpperCase(Locale.ROOT);
        if (rest.isEmpty()) {
            return verb + " other";
        }
        String query = uri.getQuery() == null ? "" : uri.getQuery();
        if (query.contains("watch=true")) {
            verb = "WATCH";
        } else if (rest.size() == 1 && verb.equals("GET")) {
            verb = "LIST";
        }
        return verb + " " + (rest.size() > 2 ? rest.get(0) + "/" + rest.get(2) : rest.get(0));
    }

    /** Reports every answer to the listener. */
    private final class CountInterceptor implements Interceptor {
        @Override
        public void after(HttpRequest request, HttpResponse<?> response, AsyncBody.Consumer<List<ByteBuffer>> body) {
            listener.onCompleted(nameOf(request.method(), request.uri()), response.code());
            date(response.header("Date")).ifPresent(listener::onServerDate);
        }

        private static Optional<Instant> date(@Nullable String header) {
            try {
                return Optional.ofNullable(header)
                        .map(DateTimeFormatter.RFC_1123_DATE_TIME::parse)
                        .map(Instant::from);
            } catch (DateTimeParseException e) {
                // the answer of a proxy; its value is not a time
                return Optional.empty();
            }
        }

        @Override
        public void afterConnectionFailure(HttpRequest request, Throwable failure) {
            listener.onCompleted(nameOf(request.method(), request.uri()), 0);
        }
    }

    /**
     * Closes the gate when the server asks for a pause. The client itself repeats lists and watches; it reads
     * {@code Retry-After} but then uses its own interval (fabric8 7.8). Therefore it gets their refusal only when the
     * pause is over.
     */
    private final class RetryAfterInterceptor implements Interceptor {
        /** Below the limit of a list or a watch, so that the request does not count as unanswered. */
        private static final Duration LONGEST = Duration.ofSeconds(20);

        @Override
        public void after(HttpRequest request, HttpResponse<?> response, AsyncBody.Consumer<List<ByteBuffer>> body) {
            gate.onResponse(response.code(), response.header("Retry-After"));
        }

        @Override
        public CompletableFuture<Boolean> afterFailure(
                BasicBuilder builder, HttpResponse<?> response, RequestTags tags) {
            CompletableFuture<Boolean> answered = CompletableFuture.completedFuture(false);
            HttpRequest request = response.request();
            String name = request == null ? "" : nameOf(request.method(), request.uri());
            if (gate.left().isZero() || !(name.startsWith("LIST ") || name.startsWith("WATCH "))) {
                return answered;
            }
            long nanos = Math.min(gate.left().toNanos(), LONGEST.toNanos());
            return answered.thenApplyAsync(
                    no -> no, CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, threads));
        }
    }

    /**
     * A watch that must list its pods again accepts the API server's cache instead of a read from etcd's disks: ten
     * thousand nodes list at the same time when a history is forgotten. The following watch corrects old data. Single
     * requests, which need the current state, are unchanged.
     *
     * @see <a href="https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions">API concepts: resource versions</a>
     */
    private static final class CachedListInterceptor implements Interceptor {
        @Override
        public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
            URI uri = request.uri();
            String query = uri.getRawQuery() == null ? "" : uri.getRawQuery();
            RequestConfig config = tags.getTag(RequestConfig.class);
            boolean patient = config == null || config.getRequestRetryBackoffLimit() > 0;
            if (patient
                    && nameOf(request.method(), uri).equals("LIST pods")
                    && !query.contains("resourceVersion=")
                    && !query.contains("continue=")) {
                builder.uri(URI.create(uri + (query.isEmpty() ? "?" : "&") + "resourceVersion=0"));
            }
        }
    }
}

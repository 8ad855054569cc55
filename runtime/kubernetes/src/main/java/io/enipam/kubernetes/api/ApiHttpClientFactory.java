package io.enipam.kubernetes.api;

import io.enipam.engine.concurrent.DaemonThreads;
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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The JDK's HTTP client on threads of its own, with interceptors that count answers, obey {@code Retry-After} and serve
 * lists from the server's cache. Thread-safe.
 */
final class ApiHttpClientFactory extends JdkHttpClientFactory {
    static {
        // The JDK reads this property once, in seconds. An API server closes a connection after 90 s without requests,
        // the JDK since version 20 after 30 s. The daemon reads its configuration about once a minute, so a look-up
        // after a silence finds that connection and does not wait for TCP and TLS.
        String idle = "jdk.httpclient.keepalive.timeout";
        if (System.getProperty(idle) == null) {
            System.setProperty(idle, "90");
        }
    }

    private final ExecutorService threads = Executors.newCachedThreadPool(DaemonThreads.numbered("api-server-client"));
    private final RequestListener listener;
    private final RetryAfterGate gate;
    private final Duration opening;

    /** @param opening the limit of the answer with which a watch is open */
    ApiHttpClientFactory(RequestListener listener, RetryAfterGate gate, Duration opening) {
        this.listener = listener;
        this.gate = gate;
        this.opening = opening;
    }

    @Override
    public HttpClient.Builder newBuilder(Config config) {
        try {
            return ReloadingTls.builder(config, () -> super.newBuilder(config))
                    .addOrReplaceInterceptor("enipam", new RequestInterceptor());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected java.net.http.HttpClient.Builder createNewHttpClientBuilder() {
        return DedicatedThreadsHttpClient.builder(threads, opening);
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

    /** Reports every answer to the listener, obeys {@code Retry-After}, and has pods listed from the server's cache. */
    private final class RequestInterceptor implements Interceptor {
        /** Below the limit of a list or a watch, so that the request does not count as unanswered. */
        private static final Duration LONGEST = Duration.ofSeconds(20);

        /**
         * A watch that must list its pods again accepts the API server's cache instead of a read from etcd's disks: ten
         * thousand nodes list at the same time when a history is forgotten. The following watch corrects old data.
         * Single requests, which need the current state, are unchanged.
         *
         * @see <a href="https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions">API concepts: resource versions</a>
         */
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

        @Override
        public void after(HttpRequest request, HttpResponse<?> response, AsyncBody.Consumer<List<ByteBuffer>> body) {
            listener.onCompleted(nameOf(request.method(), request.uri()), response.code());
            date(response.header("Date")).ifPresent(listener::onServerDate);
            gate.onResponse(response.code(), response.header("Retry-After"));
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

        /**
         * Lists and watches get their refusal only when the pause is over: the client itself repeats them, and reads
         * {@code Retry-After} but then uses its own interval (fabric8 7.8).
         */
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
     * The pause that the API server has asked for: an answer 429 or 503 with {@code Retry-After} applies to all further
     * requests. Thread-safe.
     *
     * @see <a href="https://kubernetes.io/docs/concepts/cluster-administration/flow-control/">API priority and fairness</a>
     */
    static final class RetryAfterGate {
        /** Upper bound, so that a proxy's value cannot block requests for longer. */
        static final Duration LONGEST = Duration.ofMinutes(1);

        private final LongSupplier nanos;
        private final AtomicLong until;

        /** @param nanos a monotonic clock, in nanoseconds */
        RetryAfterGate(LongSupplier nanos) {
            this.nanos = nanos;
            this.until = new AtomicLong(nanos.getAsLong());
        }

        /** @param retryAfter the header, in seconds; any other text causes no pause */
        void onResponse(int code, @Nullable String retryAfter) {
            if ((code == 429 || code == 503) && retryAfter != null && retryAfter.matches("\\d{1,9}")) {
                long rest = Math.min(
                        LONGEST.toNanos(),
                        Duration.ofSeconds(Long.parseLong(retryAfter)).toNanos());
                long end = nanos.getAsLong() + rest;
                until.accumulateAndGet(end, (before, now) -> now - before > 0 ? now : before);
            }
        }

        /** A request is not sent, since its answer would come too late. */
        static final class StillClosed extends RuntimeException {
            private static final long serialVersionUID = 1L;

            private StillClosed(String message) {
                super(message);
            }
        }

        /**
         * Blocks until the pause is over.
         *
         * @throws StillClosed if the pause exceeds the limit, or the thread is interrupted
         */
        void await(Duration limit) {
            Duration left = left();
            if (left.compareTo(limit) > 0) {
                throw new StillClosed(
                        "the API server has too much to do, and wants " + (left.toSeconds() + 1) + " s of rest");
            }
            try {
                TimeUnit.NANOSECONDS.sleep(left.toNanos());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StillClosed("the daemon is stopping");
            }
        }

        /** The rest of the pause, or zero. */
        Duration left() {
            return Duration.ofNanos(Math.max(0, until.get() - nanos.getAsLong()));
        }
    }
}

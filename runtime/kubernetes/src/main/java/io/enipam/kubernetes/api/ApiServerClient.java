package io.enipam.kubernetes.api;

import dev.failsafe.RateLimitExceededException;
import dev.failsafe.RateLimiter;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientImpl;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

/**
 * Single requests to the API server: a few at a time, so many a second, each over within its limit. Thread-safe.
 *
 * <p>A server that wants a rest (429 or 503 with {@code Retry-After}) has it: what is asked meanwhile waits for its end, or, where
 * that is longer than an answer may take, is not sent.
 *
 * <p>Nothing is repeated, since who asks has a deadline and knows better whether to ask again. A request that nobody waits for
 * any more when its turn comes is not sent. Lists and watches of {@link #client()} are another matter: those are patient.
 */
public final class ApiServerClient implements AutoCloseable {
    private static final int AT_ONCE = 8;
    private static final int WAITING = 1_024;
    /** How many requests a minute people may have, beside a thousand and more that pods may. */
    static final int LOOKS = 30;

    /** Lists and watches have nobody waiting; these are repeated, after as long as the server asks for. */
    private static final int WATCHING_MS = 30_000;

    private static final int WATCHING_REPEATS = 3;
    private static final Duration PATIENCE_OF_PEOPLE = Duration.ofSeconds(30);
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int TOO_MANY = 429;

    private final NamespacedKubernetesClient client;
    private final RequestConfig once;
    private final Duration limit;
    private final RetryAfterGate rest = new RetryAfterGate(System::nanoTime);
    /** When a request has ended, one way or the other; whoever asked waits no longer, either. */
    private final Duration end;

    private final RequestExecutor asked;
    private final RequestExecutor looks;

    /**
     * Connects to nothing yet.
     *
     * @throws IOException if a file that the way to the server needs cannot be read
     */
    public static ApiServerClient open(ApiAccess access, ApiLimits limits, RequestListener watcher) throws IOException {
        try {
            return new ApiServerClient(access.config(), limits, watcher);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    public ApiServerClient(Config config, ApiLimits limits, RequestListener watcher) {
        this.limit = limits.request();
        this.end = limits.request().plusSeconds(1);
        config.setConnectionTimeout(Math.toIntExact(limits.connect().toMillis()));
        config.setRequestTimeout(WATCHING_MS);
        config.setRequestRetryBackoffLimit(WATCHING_REPEATS);
        config.setUserAgent("enipam");
        // one connection for all would take all requests along when it dies: nobody notices that for minutes
        config.setHttp2Disable(true);
        // ten thousand nodes lose an API server at once, and shall not come back at once
        int pause =
                (int) (limits.pause().toMillis() * ThreadLocalRandom.current().nextDouble(0.8, 1.6)) + 1;
        config.setWatchReconnectInterval(pause);
        config.setRequestRetryBackoffInterval(pause);
        client = new KubernetesClientBuilder()
                .withConfig(config)
                .withHttpClientFactory(new CountingFactory(watcher, rest))
                .build()
                .adapt(NamespacedKubernetesClient.class);
        once = new RequestConfigBuilder()
                .withRequestTimeout(Math.toIntExact(limits.request().toMillis()))
                .withRequestRetryBackoffLimit(0)
                .build();
        asked = new RequestExecutor(
                "api-server",
                AT_ONCE,
                WAITING,
                end,
                RateLimiter.burstyBuilder(limits.perSecond(), Duration.ofSeconds(1))
                        .build(),
                limits.request(),
                "more than " + limits.perSecond() + " requests a second are wanted");
        looks = new RequestExecutor(
                "api-server-look",
                1,
                LOOKS,
                PATIENCE_OF_PEOPLE,
                RateLimiter.burstyBuilder(LOOKS, Duration.ofMinutes(1)).build(),
                Duration.ZERO,
                "people have it looked at " + LOOKS + " times a minute at most");
    }

    /**
     * Asks for something.
     *
     * @param what verb and object for a person, such as {@code GET pod default/web-0}
     * @param request asks; blocks until there is an answer. A null answer becomes an empty one by its own means
     * @return fails with {@link IOException}, whose message says what was asked and why there is no answer
     */
    public <T> CompletableFuture<T> request(String what, Function<KubernetesClient, T> request) {
        return asked.send(what, () -> sent(request));
    }

    /**
     * The same for a person who wants to see how things are: one at a time, {@value #LOOKS} a minute, on a thread of its own. So
     * however often people look, and however long the answer takes, no pod waits for it.
     */
    public <T> CompletableFuture<T> requestInteractive(String what, Function<KubernetesClient, T> request) {
        return looks.send(what, () -> sent(request));
    }

    /** Whether a request was not sent since it was one too many; the server has nothing to do with it. */
    public static boolean isRateLimited(Throwable failure) {
        return failure.getCause() instanceof RateLimitExceededException;
    }

    private <T> T sent(Function<KubernetesClient, T> request) {
        rest.await(limit);
        return CallTimeout.call(end, () -> client.withRequestConfig(once).call(request::apply));
    }

    /** The address of the API server, as the client has it. */
    public String server() {
        return client.getMasterUrl().toString();
    }

    /** The client itself, for watches. */
    public KubernetesClient client() {
        return client;
    }

    static IOException failure(String what, Throwable error) {
        if (error instanceof RetryAfterGate.StillClosed) {
            return new IOException(what + " was not sent: " + error.getMessage(), error);
        }
        if (error instanceof KubernetesClientException refusal) {
            return new IOException(what + ": " + why(refusal), refusal);
        }
        return new IOException(what + ": " + error, error);
    }

    /** In a few words, without the request's own text: fabric8's message repeats URL, headers and body. */
    private static String why(KubernetesClientException refusal) {
        String said = refusal.getStatus() == null || refusal.getStatus().getMessage() == null
                ? ""
                : ": " + refusal.getStatus().getMessage();
        if (refusal.getCode() <= 0) {
            return "no answer: " + reason(refusal);
        }
        return switch (refusal.getCode()) {
            case UNAUTHORIZED -> "401, the token is not accepted";
            case FORBIDDEN -> "403, not allowed" + said;
            case TOO_MANY -> "429, the API server has too much to do";
            default -> refusal.getCode() + said;
        };
    }

    /** What is at the bottom of it, in a few words. */
    public static String reason(Throwable refusal) {
        Throwable cause = refusal;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    @Override
    public void close() {
        asked.close();
        looks.close();
        client.close();
    }

    /** The JDK's HTTP client, watched, on threads of its own. */
    private static final class CountingFactory extends JdkHttpClientFactory {
        private final ExecutorService threads =
                Executors.newCachedThreadPool(RequestExecutor.threads("api-server-client"));
        private final RequestListener watcher;
        private final RetryAfterGate rest;

        private CountingFactory(RequestListener watcher, RetryAfterGate rest) {
            this.watcher = watcher;
            this.rest = rest;
        }

        @Override
        public HttpClient.Builder newBuilder(Config config) {
            try {
                return ReloadingTls.builder(config, () -> super.newBuilder(config))
                        .addOrReplaceInterceptor("enipam-count", new RequestCountInterceptor(watcher))
                        .addOrReplaceInterceptor("enipam-rest", new RetryAfterInterceptor(rest, threads))
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
    }
}

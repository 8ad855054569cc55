package io.enipam.kubernetes.api;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Single requests to the API server: a few at a time, so many a second, each over within its limit. Thread-safe.
 *
 * <p>After an answer 429 or 503 with {@code Retry-After} requests wait for the end of that pause, or, where it is longer than an
 * answer may take, are not sent.
 *
 * <p>Nothing is repeated: the caller has a deadline and knows better whether to ask again. A request whose caller has given up when its
 * turn comes is not sent. Lists and watches of {@link #client()} are repeated by the client.
 */
public final class ApiServerClient implements AutoCloseable {
    private static final int AT_ONCE = 8;
    private static final int WAITING = 1_024;
    /** Requests a minute for operators, beside a thousand and more for pods. */
    static final int LOOKS = 30;

    /** No caller waits for lists and watches; these are repeated, after as long as the server asks for. */
    private static final int WATCHING_MS = 30_000;

    private static final int WATCHING_REPEATS = 3;
    private static final Duration OPERATOR_LIMIT = Duration.ofSeconds(30);
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int TOO_MANY = 429;

    private final NamespacedKubernetesClient client;
    private final RequestConfig once;
    private final Duration limit;
    private final RetryAfterGate rest = new RetryAfterGate(System::nanoTime);
    /** When a request has ended, one way or the other; its caller waits no longer, either. */
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
        // one connection for all would take all requests along when it dies, which is noticed after minutes
        config.setHttp2Disable(true);
        // ten thousand nodes lose an API server at once, and shall not come back at once
        int pause =
                (int) (limits.pause().toMillis() * ThreadLocalRandom.current().nextDouble(0.8, 1.6)) + 1;
        config.setWatchReconnectInterval(pause);
        config.setRequestRetryBackoffInterval(pause);
        client = new KubernetesClientBuilder()
                .withConfig(config)
                .withHttpClientFactory(new ApiHttpClientFactory(watcher, rest))
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
                new RequestExecutor.Rate(limits.perSecond(), Duration.ofSeconds(1), limits.request()),
                "more than " + limits.perSecond() + " requests a second are wanted");
        looks = new RequestExecutor(
                "api-server-look",
                1,
                LOOKS,
                OPERATOR_LIMIT,
                new RequestExecutor.Rate(LOOKS, Duration.ofMinutes(1), Duration.ZERO),
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
     * The same for an operator's command: one at a time, {@value #LOOKS} a minute, on a thread of its own. However many commands there
     * are, and however long an answer takes, no pod waits for it.
     */
    public <T> CompletableFuture<T> requestInteractive(String what, Function<KubernetesClient, T> request) {
        return looks.send(what, () -> sent(request));
    }

    /** Whether a request was not sent since it was one too many; the server has nothing to do with it. */
    public static boolean isRateLimited(Throwable failure) {
        return failure instanceof RequestExecutor.RateLimitedException;
    }

    private <T> T sent(Function<KubernetesClient, T> request) {
        rest.await(limit);
        return limited(end, () -> client.withRequestConfig(once).call(request::apply));
    }

    /**
     * Makes a call that ends. The HTTP client's limit is over with the headers of an answer, and the client above it waits for the rest
     * for ever: a proxy that dies in the middle of a body would keep the thread. So the thread is interrupted.
     *
     * @throws KubernetesClientException if it has not ended within the limit. After that the thread is as it was before: it is not
     *     interrupted later, and does not count as interrupted
     */
    private static <T> T limited(Duration limit, Supplier<T> call) {
        InterruptTimer timer = new InterruptTimer(Thread.currentThread(), limit);
        try (timer) {
            return call.get();
        } catch (RuntimeException e) {
            if (!timer.hasInterrupted()) {
                throw e;
            }
            // without a cause: the caller shall not read of a thread's interruption
            KubernetesClientException endless =
                    new KubernetesClientException("the answer did not end within " + limit.toSeconds() + " s");
            endless.addSuppressed(e);
            throw endless;
        }
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

    /**
     * How hard and how patiently the API server is asked.
     *
     * @param perSecond requests a second, watches aside, above zero; as many as a second's may come at once
     * @param connect how long a connection may take, above zero
     * @param request how long an answer may take, connection included, above zero
     * @param pause how long a watch that broke rests, at first and about: no two nodes rest equally long. Above zero
     */
    public record ApiLimits(int perSecond, Duration connect, Duration request, Duration pause) {
        public ApiLimits {
            if (perSecond < 1) {
                throw new IllegalArgumentException("at least one request a second, not " + perSecond);
            }
            if (connect.toMillis() < 1 || request.toMillis() < 1 || pause.toMillis() < 1) {
                throw new IllegalArgumentException(
                        "a limit of " + connect + ", " + request + " or " + pause + " is no time at all");
            }
        }

        /** What kubelets are given, and four seconds for an answer: an ADD waits five. */
        public static ApiLimits usual() {
            return new ApiLimits(20, Duration.ofSeconds(2), Duration.ofSeconds(4), Duration.ofSeconds(1));
        }

        /** The same, with so many requests a second. */
        public ApiLimits perSecond(int requests) {
            return new ApiLimits(requests, connect, request, pause);
        }
    }

    /** Told of every request that was answered or failed, repetitions by the client included. Thread-safe, never blocks, never throws. */
    @FunctionalInterface
    public interface RequestListener {
        /** Listens to nothing. */
        RequestListener NONE = (request, code) -> {};

        /**
         * A request is over; for a watch, once it is open.
         *
         * @param request verb and resource, of a bounded set: {@code GET pods}, {@code WATCH pods}, {@code PATCH nodes/status}
         * @param code HTTP status, or 0 if no answer came
         */
        void onCompleted(String request, int code);

        /** An answer said what time it is at the server, cut to the second. */
        default void onServerDate(Instant server) {}
    }

    /** Interrupts the thread of a call that takes too long; either the call ends first, or it is interrupted, never both. */
    private static final class InterruptTimer implements AutoCloseable {
        private final CompletableFuture<Void> end = new CompletableFuture<>();
        private final CompletableFuture<Boolean> interrupted;

        private InterruptTimer(Thread worker, Duration limit) {
            interrupted = end.orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS).handle((done, late) -> {
                if (late != null) {
                    worker.interrupt();
                }
                return late != null;
            });
        }

        private boolean hasInterrupted() {
            return interrupted.join();
        }

        @Override
        public void close() {
            end.complete(null);
            if (hasInterrupted()) {
                Thread.interrupted();
            }
        }
    }
}

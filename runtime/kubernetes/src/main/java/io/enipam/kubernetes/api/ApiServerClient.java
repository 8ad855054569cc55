package io.enipam.kubernetes.api;

import static java.net.HttpURLConnection.HTTP_FORBIDDEN;
import static java.net.HttpURLConnection.HTTP_UNAUTHORIZED;

import dev.failsafe.RateLimiter;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.kubernetes.api.ApiHttpClientFactory.RetryAfterGate;
import io.enipam.kubernetes.api.ApiServerClient.RequestExecutor.Rate;
import io.fabric8.kubernetes.api.model.Status;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Single requests to the API server, with limits on concurrency, rate and duration. Thread-safe.
 *
 * <p>After an answer 429 or 503 with {@code Retry-After} requests wait for the end of that pause, or fail at once if it
 * is longer than the limit of an answer.
 *
 * <p>Nothing is retried: the caller has a deadline and decides whether to ask again. A request whose caller has given
 * up while it waited is not sent. The client repeats lists and watches of {@link #client()}.
 */
public final class ApiServerClient implements AutoCloseable {
    private static final int AT_ONCE = 8;
    private static final int WAITING = 1_024;
    /** As many as the workers of a controller for a whole cluster, and what all of its nodes may ask for at once. */
    private static final int PARTS_AT_ONCE = 32;

    private static final int PARTS_WAITING = 16_384;
    /** Requests a minute for operators, in addition to a thousand and more for pods. */
    static final int LOOKS = 30;

    /** No caller waits for lists and watches; they are repeated after the pause that the server asks for. */
    private static final int WATCHING_MS = 30_000;

    private static final int WATCHING_REPEATS = 3;
    private static final Duration OPERATOR_LIMIT = Duration.ofSeconds(30);
    private final NamespacedKubernetesClient client;
    private final RequestConfig once;
    private final Duration limit;
    private final RetryAfterGate rest = new RetryAfterGate(System::nanoTime);
    /** The limit after which a request ends in any case; its caller waits no longer, either. */
    private final Duration end;

    private final RequestExecutor asked;
    private final RequestExecutor ofParts;
    private final RequestExecutor looks;

    /**
     * Connects to nothing yet.
     *
     * @throws IOException if a file of the credentials cannot be read
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
        // with one shared connection all requests would fail when it breaks, which is noticed only after minutes
        config.setHttp2Disable(true);
        // ten thousand nodes lose an API server at once, and must not return at once
        int pause =
                (int) (limits.pause().toMillis() * ThreadLocalRandom.current().nextDouble(0.8, 1.6)) + 1;
        config.setWatchReconnectInterval(pause);
        config.setRequestRetryBackoffInterval(pause);
        client = new KubernetesClientBuilder()
                .withConfig(config)
                .withKubernetesSerialization(ApiSerialization.INSTANCE)
                .withHttpClientFactory(new ApiHttpClientFactory(watcher, rest, Duration.ofMillis(WATCHING_MS)))
                .build()
                .adapt(NamespacedKubernetesClient.class);
        once = new RequestConfigBuilder()
                .withRequestTimeout(Math.toIntExact(limits.request().toMillis()))
                .withRequestRetryBackoffLimit(0)
                .build();
        Rate rate = new Rate(limits.perSecond(), Duration.ofSeconds(1), limits.request());
        String fast = "more than " + limits.perSecond() + " requests a second are wanted";
        asked = new RequestExecutor("api-server", AT_ONCE, WAITING, end, rate, fast);
        ofParts = new RequestExecutor("api-server-part", PARTS_AT_ONCE, PARTS_WAITING, end, rate, fast);
        Rate operators = new Rate(LOOKS, Duration.ofMinutes(1), Duration.ZERO);
        String often = "people have it looked at " + LOOKS + " times a minute at most";
        looks = new RequestExecutor("api-server-look", 1, LOOKS, OPERATOR_LIMIT, operators, often);
    }

    /**
     * @param what verb and object for messages, such as {@code GET pod default/web-0}
     * @param request sends it; blocks until the answer. The function itself maps a null answer to an empty one
     * @return fails with {@link IOException}, whose message names the request and the reason
     */
    public <T> CompletableFuture<T> request(String what, Function<KubernetesClient, T> request) {
        return asked.send(what, () -> sent(request));
    }

    /**
     * The same for an operator's command: one at a time, {@value #LOOKS} a minute, on a thread of its own. Pods never
     * wait for such requests, however many there are and however long an answer takes.
     */
    public <T> CompletableFuture<T> requestInteractive(String what, Function<KubernetesClient, T> request) {
        return looks.send(what, () -> sent(request));
    }

    /**
     * The same for the parts of plugins: 32 at once, and as many a second as all others may have. The node's own requests never wait
     * for them.
     */
    public <T> CompletableFuture<T> requestOfPart(String what, Function<KubernetesClient, T> request) {
        return ofParts.send(what, () -> sent(request));
    }

    /** Whether a request was not sent because of a limit; the server was not involved. */
    public static boolean isRateLimited(Throwable failure) {
        return failure instanceof RequestExecutor.RateLimitedException;
    }

    private <T> T sent(Function<KubernetesClient, T> request) {
        rest.await(limit);
        return limited(end, () -> client.withRequestConfig(once).call(request::apply));
    }

    /**
     * Limits the duration of a call. The HTTP client's limit ends with the headers of an answer, and the client above
     * it waits for the rest without limit: a proxy that dies in the middle of a body would block the thread. Therefore
     * the thread is interrupted.
     *
     * @throws KubernetesClientException if it has not ended within the limit. The thread's interrupt status is then as
     *     before the call, and no interrupt follows later
     */
    private static <T> T limited(Duration limit, Supplier<T> call) {
        InterruptTimer timer = new InterruptTimer(Thread.currentThread(), limit);
        try (timer) {
            return call.get();
        } catch (RuntimeException e) {
            if (!timer.hasInterrupted()) {
                throw e;
            }
            // without a cause: the caller should not see a thread's interruption
            KubernetesClientException endless =
                    new KubernetesClientException("the answer did not end within " + limit.toSeconds() + " s");
            endless.addSuppressed(e);
            throw endless;
        }
    }

    public String server() {
        return client.getMasterUrl().toString();
    }

    /** The client itself, for watches. */
    public KubernetesClient client() {
        return client;
    }

    static IOException failure(String what, Throwable error) {
        if (error instanceof RetryAfterGate.StillClosed) {
            return new NotSentException(what + " was not sent: " + error.getMessage(), error);
        }
        if (error instanceof KubernetesClientException refusal) {
            return new IOException(what + ": " + why(refusal), refusal);
        }
        return new IOException(what + ": " + error, error);
    }

    /** A short reason, without the request's own text: fabric8's message repeats URL, headers and body. */
    private static String why(KubernetesClientException refusal) {
        String said = Optional.ofNullable(refusal.getStatus())
                .map(Status::getMessage)
                .map(": "::concat)
                .orElse("");
        return switch (Math.max(0, refusal.getCode())) {
            case 0 -> "no answer: " + reason(refusal);
            case HTTP_UNAUTHORIZED -> "401, the token is not accepted";
            case HTTP_FORBIDDEN -> "403, not allowed" + said;
            case 429 -> "429, the API server has too much to do";
            default -> refusal.getCode() + said;
        };
    }

    /** The root cause in short. */
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
        ofParts.close();
        looks.close();
        client.close();
    }

    /**
     * @param perSecond requests a second, watches aside, above zero; a burst may have the requests of one second
     * @param connect limit of a connection attempt, above zero
     * @param request limit of an answer, connection included, above zero
     * @param pause initial pause of a broken watch, with jitter so that nodes differ; above zero
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

        /** The rate of kubelets, and four seconds for an answer: an ADD waits five. */
        public static ApiLimits usual() {
            return new ApiLimits(20, Duration.ofSeconds(2), Duration.ofSeconds(4), Duration.ofSeconds(1));
        }

        public ApiLimits perSecond(int requests) {
            return new ApiLimits(requests, connect, request, pause);
        }
    }

    /** Gets every answered or failed request, repetitions included. Thread-safe, never blocks, never throws. */
    @FunctionalInterface
    public interface RequestListener {
        RequestListener NONE = (request, code) -> {};

        /**
         * A request has ended; for a watch, it is open.
         *
         * @param request verb and resource, of a bounded set: {@code GET pods}, {@code WATCH pods},
         *     {@code PATCH nodes/status}
         * @param code HTTP status, or 0 if no answer came
         */
        void onCompleted(String request, int code);

        /** An answer gave the server's time, truncated to the second. */
        default void onServerDate(Instant server) {}
    }

    /** A request that the server never saw. */
    static class NotSentException extends IOException {
        private static final long serialVersionUID = 1L;

        NotSentException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** Interrupts the thread of a call that takes too long; the call ends or is interrupted, never both. */
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

    /** Runs requests on threads and within a rate of its own. Thread-safe. */
    static final class RequestExecutor implements AutoCloseable {
        private final ThreadPoolExecutor threads;
        private final RateLimiter<Object> limiter;
        private final Rate rate;
        private final Duration patience;
        private final String tooMany;

        /**
         * @param most requests in a period, possibly all at once
         * @param patience how long a request waits for the next period; if the wait would be longer, it is not sent
         */
        record Rate(int most, Duration period, Duration patience) {}

        /** A request was not sent because of the rate. */
        static final class RateLimitedException extends NotSentException {
            private static final long serialVersionUID = 1L;

            private RateLimitedException(String message) {
                super(message, null);
            }
        }

        /**
         * @param atOnce the most requests in progress
         * @param waiting the most requests in the queue
         * @param patience the longest wait in the queue: the caller has given up by then
         * @param tooMany the message for a request that exceeds the rate
         */
        RequestExecutor(String name, int atOnce, int waiting, Duration patience, Rate rate, String tooMany) {
            this.rate = rate;
            this.limiter = RateLimiter.burstyBuilder(rate.most(), rate.period()).build();
            this.patience = patience;
            this.tooMany = tooMany;
            threads = new ThreadPoolExecutor(
                    atOnce,
                    atOnce,
                    1,
                    TimeUnit.MINUTES,
                    new LinkedBlockingQueue<>(waiting),
                    DaemonThreads.numbered(name));
            threads.allowCoreThreadTimeOut(true);
        }

        /** @return fails with {@link IOException}. A request whose caller has given up while it waited is not sent */
        <T> CompletableFuture<T> send(String what, Supplier<T> request) {
            Task<T> task = new Task<>(what, request);
            try {
                threads.execute(task);
            } catch (RejectedExecutionException e) {
                int waiting = threads.getQueue().size();
                task.isNotSent(threads.isShutdown() ? "the daemon is stopping" : waiting + " requests are waiting", e);
            }
            return task.answer;
        }

        /** Interrupts requests in progress and drops waiting ones: all of them fail. */
        @Override
        public void close() {
            for (Runnable left : threads.shutdownNow()) {
                if (left instanceof Task<?> task) {
                    task.isNotSent("the daemon is stopping", null);
                }
            }
        }

        private final class Task<T> implements Runnable {
            private final String what;
            private final Supplier<T> request;
            private final CompletableFuture<T> answer = new CompletableFuture<>();
            private final long asked = System.nanoTime();

            private Task(String what, Supplier<T> request) {
                this.what = what;
                this.request = request;
            }

            private void isNotSent(String why, @Nullable Throwable cause) {
                answer.completeExceptionally(new NotSentException(what + " was not sent: " + why, cause));
            }

            @Override
            public void run() {
                if (answer.isDone()) {
                    return;
                }
                if (System.nanoTime() - asked > patience.toNanos()) {
                    isNotSent("it had to wait for more than " + patience.toSeconds() + " s for others", null);
                    return;
                }
                try {
                    if (limiter.tryAcquirePermit(rate.patience())) {
                        answer.complete(request.get());
                    } else {
                        answer.completeExceptionally(new RateLimitedException(what + " was not sent: " + tooMany));
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    isNotSent("the daemon is stopping", e);
                } catch (RuntimeException | Error e) {
                    answer.completeExceptionally(ApiServerClient.failure(what, e));
                }
            }
        }
    }
}

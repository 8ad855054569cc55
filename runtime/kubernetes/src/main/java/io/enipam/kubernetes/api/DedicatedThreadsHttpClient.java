package io.enipam.kubernetes.api;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * The JDK's HTTP client with asynchronous answers on its own threads. The JDK completes every {@code sendAsync} on its
 * common pool, whatever executor the client has: a plugin that blocks that pool, which has a single thread on two cores
 * since JDK 25, would delay every request to the API server. Instead, a request waits for the head of its answer on a
 * thread of its own. Thread-safe.
 *
 * <p>The handshake of a WebSocket still passes through the common pool inside the JDK: a watch that opens while the
 * pool is blocked waits until it is free, while requests are answered. Work that depends on a handshake is not moved to
 * these threads: a watch would get its first events before fabric8 has registered it.
 */
final class DedicatedThreadsHttpClient extends HttpClient {
    private final HttpClient client;
    private final ExecutorService threads;
    private final Duration handshake;

    private DedicatedThreadsHttpClient(HttpClient client, ExecutorService threads, Duration handshake) {
        this.client = client;
        this.threads = threads;
        this.handshake = handshake;
    }

    /**
     * @param threads run the client's work and the stages that depend on an answer; each request needs one until its
     *     answer begins
     * @param handshake the limit of a WebSocket's, for which fabric8 sets none: the JDK would wait for ever
     */
    static HttpClient.Builder builder(ExecutorService threads, Duration handshake) {
        HttpClient.Builder builder = HttpClient.newBuilder().executor(threads);
        return (HttpClient.Builder) Proxy.newProxyInstance(
                DedicatedThreadsHttpClient.class.getClassLoader(),
                new Class<?>[] {HttpClient.Builder.class},
                (self, method, args) -> ReloadingTls.invoke(builder, method, args) instanceof HttpClient made
                        ? new DedicatedThreadsHttpClient(made, threads, handshake)
                        : self);
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        CompletableFuture<HttpResponse<T>> answer = new CompletableFuture<>();
        try {
            Future<?> sending = threads.submit(() -> {
                try {
                    answer.complete(client.send(request, handler));
                } catch (InterruptedException e) {
                    // only this request: it was cancelled, or the client is closed
                    answer.completeExceptionally(new IOException("the request was cancelled", e));
                } catch (IOException | RuntimeException | Error e) {
                    answer.completeExceptionally(e);
                }
            });
            answer.whenComplete((done, failure) -> {
                if (answer.isCancelled()) {
                    sending.cancel(true);
                }
            });
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(new IOException("the client is closed", e));
        }
        return answer;
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, HttpResponse.BodyHandler<T> handler, HttpResponse.PushPromiseHandler<T> pushes) {
        throw new UnsupportedOperationException("an API server pushes nothing");
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
            throws IOException, InterruptedException {
        return client.send(request, handler);
    }

    @Override
    public WebSocket.Builder newWebSocketBuilder() {
        return client.newWebSocketBuilder().connectTimeout(handshake);
    }

    @Override
    public Optional<CookieHandler> cookieHandler() {
        return client.cookieHandler();
    }

    @Override
    public Optional<Duration> connectTimeout() {
        return client.connectTimeout();
    }

    @Override
    public Redirect followRedirects() {
        return client.followRedirects();
    }

    @Override
    public Optional<ProxySelector> proxy() {
        return client.proxy();
    }

    @Override
    public SSLContext sslContext() {
        return client.sslContext();
    }

    @Override
    public SSLParameters sslParameters() {
        return client.sslParameters();
    }

    @Override
    public Optional<Authenticator> authenticator() {
        return client.authenticator();
    }

    @Override
    public Version version() {
        return client.version();
    }

    @Override
    public Optional<Executor> executor() {
        return client.executor();
    }
}

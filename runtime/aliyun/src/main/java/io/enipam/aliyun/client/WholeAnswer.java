package io.enipam.aliyun.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ProxySelector;
import java.net.SocketTimeoutException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/**
 * Calls on the JDK's HTTP client that end in time, the whole answer included: the client's own timeout ends with the answer's head, and
 * a server that stops in the middle of its body would keep the caller for ever.
 */
final class WholeAnswer {
    private WholeAnswer() {}

    /**
     * Sends on the caller's thread: what the JDK sends beside it passes the common pool, which a plugin may block.
     *
     * @param most from now to the answer's last byte
     * @throws SocketTimeoutException if that is over
     * @throws InterruptedIOException if the thread was interrupted, and is so still
     */
    static HttpResponse<byte[]> of(HttpClient client, HttpRequest.Builder message, Duration most) throws IOException {
        CompletableFuture<Void> over =
                new CompletableFuture<Void>().completeOnTimeout(null, most.toMillis(), TimeUnit.MILLISECONDS);
        try {
            return client.send(message.timeout(most).build(), head -> new UntilOver(over));
        } catch (HttpConnectTimeoutException e) {
            throw e;
        } catch (IOException e) {
            // of what the subscriber fails with the JDK keeps the message alone
            throw over.isDone() || e instanceof HttpTimeoutException
                    ? new SocketTimeoutException("no whole answer within " + most.toMillis() + " ms")
                    : e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } finally {
            over.cancel(false);
        }
    }

    /**
     * A client for it.
     *
     * @param tls whether the server has TLS; for one that has not the JDK asks for a context all the same, and its own would read all
     *     certificates of its authorities, a tenth of a second of a start
     */
    static HttpClient client(boolean tls, Duration connectTimeout, ProxySelector proxy) {
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(connectTimeout)
                .proxy(proxy);
        return (tls ? builder : builder.sslContext(trustingNone())).build();
    }

    private static SSLContext trustingNone() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[0], new TrustManager[0], null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no TLS", e);
        }
    }

    /** An answer's bytes, or a failure when its time is over: the JDK's own timeout ends with the answer's head. */
    private record UntilOver(CompletableFuture<Void> over, BodySubscriber<byte[]> bytes)
            implements BodySubscriber<byte[]> {
        UntilOver(CompletableFuture<Void> over) {
            this(over, BodySubscribers.ofByteArray());
        }

        @Override
        public CompletionStage<byte[]> getBody() {
            return bytes.getBody();
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            bytes.onSubscribe(subscription);
            over.thenRun(() -> {
                bytes.onError(new IOException("the answer began, and did not end in time"));
                subscription.cancel();
            });
        }

        @Override
        public void onNext(List<ByteBuffer> item) {
            bytes.onNext(item);
        }

        @Override
        public void onError(Throwable failure) {
            bytes.onError(failure);
        }

        @Override
        public void onComplete() {
            bytes.onComplete();
        }
    }
}

package io.enipam.emulator.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import io.enipam.emulator.http.HttpReply.FullReply;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** An address where HTTP requests are answered. Thread-safe. */
public sealed interface Endpoint extends AutoCloseable permits HttpEndpoint, UnixEndpoint {
    /** A request, as both kinds of address have it. */
    record HttpCall(String method, String path, Headers headers, InputStream body) {
        private static HttpCall of(HttpExchange exchange) {
            String path = exchange.getRequestURI().getPath();
            return new HttpCall(
                    exchange.getRequestMethod(), path, exchange.getRequestHeaders(), exchange.getRequestBody());
        }
    }

    /**
     * Listens on a TCP address or a unix socket.
     *
     * @param name of its threads
     * @param handler answers calls; if it throws, the connection is closed
     * @throws io.enipam.emulator.cloud.EmulatorException if the address is not free
     */
    static Endpoint open(String name, SocketAddress listen, Function<HttpCall, FullReply> handler) {
        return listen instanceof UnixDomainSocketAddress unix
                ? new UnixEndpoint(name, unix.getPath(), handler)
                : new HttpEndpoint(name, (InetSocketAddress) listen, exchange -> handler.apply(HttpCall.of(exchange)));
    }

    SocketAddress address();

    /** Daemon threads for calls; without a queue, where a call would wait behind half requests and be cut off with them. */
    static ThreadPoolExecutor threads(String name, int most) {
        AtomicInteger count = new AtomicInteger();
        return new ThreadPoolExecutor(0, most, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Ends it, with all connections. A second close does nothing. */
    @Override
    void close();
}

package io.enipam.emulator.http;

import com.sun.net.httpserver.HttpExchange;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.function.Function;

/** An address where HTTP requests are answered. Thread-safe. */
public sealed interface Endpoint extends AutoCloseable permits HttpEndpoint, UnixEndpoint {
    /**
     * Listens on a TCP address or a unix socket.
     *
     * @param name of its threads
     * @param handler answers calls; if it throws, the connection is closed
     * @throws io.enipam.emulator.cloud.EmulatorException if the address is not free
     */
    static Endpoint open(String name, SocketAddress listen, Function<HttpExchange, ? extends HttpReply> handler) {
        return listen instanceof UnixDomainSocketAddress unix
                ? new UnixEndpoint(name, unix.getPath(), handler)
                : new HttpEndpoint(name, (InetSocketAddress) listen, handler);
    }

    /** Where it listens. */
    SocketAddress address();

    /** Ends it, with all connections. A second close does nothing. */
    @Override
    void close();
}

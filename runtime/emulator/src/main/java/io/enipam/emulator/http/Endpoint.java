package io.enipam.emulator.http;

import java.net.SocketAddress;

/** A place where HTTP requests are answered. Thread-safe. */
public sealed interface Endpoint extends AutoCloseable permits HttpEndpoint, UnixEndpoint {
    /** Where it listens. */
    SocketAddress address();

    /** Ends it, with all connections. A second close does nothing. */
    @Override
    void close();
}

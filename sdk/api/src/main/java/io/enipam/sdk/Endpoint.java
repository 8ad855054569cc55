package io.enipam.sdk;

/**
 * Serves a protocol to other programs of the host, on a unix socket or a loopback port: an {@link HttpEndpoint} or a
 * {@link StreamEndpoint}. The host opens the socket when the part is open, accepts, limits and closes connections, and
 * removes the socket's file when the part is closed. {@code plugin info} shows address, state and counts, and {@code doctor} an
 * endpoint that cannot be opened; the host tries again with back-off.
 */
public interface Endpoint extends Part {
    /** Where the host listens, and within which limits; constant while the part is open. */
    EndpointSpec endpoint();
}

package io.enipam.sdk;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.util.Optional;

/** A connection that a {@link StreamEndpoint} serves. Streams may be used by one thread each; closed with the endpoint. */
public interface Connection {
    /** Who has connected; empty for a port. */
    Optional<Peer> peer();

    /** A read waits for the limits' idle time at most, and throws {@link SocketTimeoutException} after it. */
    InputStream input();

    /** A write waits until the kernel has taken it, for the limits' deadline at most, and throws {@link SocketTimeoutException} after it. */
    OutputStream output();
}

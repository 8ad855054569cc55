package io.enipam.sdk;

import java.io.IOException;

/** Serves a protocol of the plugin's own, over connections as they are. */
public interface StreamEndpoint extends Endpoint {
    /**
     * Serves one connection, on a thread of its own, for as long as that takes. The connection is closed when it returns or throws; the thread is
     * interrupted when the connection is closed before that.
     *
     * @throws IOException if the connection breaks or is too slow: it is no failure of the plugin
     */
    void serve(Connection connection) throws IOException;
}

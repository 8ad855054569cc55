package io.enipam.shell.fleet;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A connection to a relay, from here. */
interface Tunnel {
    /** Sends all of it, as fast as the other side takes it. For one thread. */
    void send(ByteBuffer bytes) throws IOException;

    /** Ends it, and the relay with it. Any thread; again does nothing. */
    void close();
}

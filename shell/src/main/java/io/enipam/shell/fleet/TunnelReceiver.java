package io.enipam.shell.fleet;

import io.enipam.shell.attach.ShellException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** What takes the answers of a relay. Called by one thread at a time, in order. */
interface TunnelReceiver {
    /** Takes all of it before it returns: nothing more is read from the network meanwhile. */
    void received(ByteBuffer bytes) throws IOException;

    /**
     * Nothing comes any more; called once.
     *
     * @param trouble why, if the daemon or somebody here did not simply end it
     */
    void ended(Optional<ShellException> trouble);
}

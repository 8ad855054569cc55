package io.enipam.daemon.rpc;

import io.enipam.v1.ControlGrpc;
import java.util.function.BiPredicate;

/**
 * Who may do what: root and the daemon's own user everything; members of the group {@value #GROUP} may look; nobody else
 * anything. Thread-safe.
 */
final class AccessRules {
    /** The group whose members may inspect. */
    static final String GROUP = "enipam";

    private final int ownUid;
    private final BiPredicate<Peer, String> membership;

    /**
     * @param ownUid the daemon's user
     * @param membership whether a peer is a member of a group
     */
    AccessRules(int ownUid, BiPredicate<Peer, String> membership) {
        this.ownUid = ownUid;
        this.membership = membership;
    }

    /** Whether the peer may call a method of this service. */
    boolean allows(Peer peer, String service) {
        if (peer.uid() == 0 || peer.uid() == ownUid) {
            return true;
        }
        return !service.equals(ControlGrpc.SERVICE_NAME) && membership.test(peer, GROUP);
    }
}

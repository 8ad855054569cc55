package io.enipam.frontends.rpc;

import io.enipam.v1.ControlGrpc;
import java.util.Set;
import java.util.function.BiPredicate;

/**
 * Who may do what: root and the daemon's own user everything; members of the group {@value #GROUP} may look; nobody else
 * anything. Thread-safe.
 */
final class AccessRules {
    /** The group whose members may inspect. */
    static final String GROUP = "enipam";

    private static final int ROOT = 0;

    private final Set<Integer> masters;
    private final BiPredicate<Peer, String> membership;

    /**
     * @param masters the users who may do everything
     * @param membership whether a peer is a member of a group
     */
    AccessRules(Set<Integer> masters, BiPredicate<Peer, String> membership) {
        this.masters = Set.copyOf(masters);
        this.membership = membership;
    }

    /** Root and the daemon's user, by this host's groups. */
    static AccessRules ofThisHost(int ownUid) {
        Set<Integer> masters = ownUid == ROOT ? Set.of(ROOT) : Set.of(ROOT, ownUid);
        return new AccessRules(masters, SystemGroups.ofThisHost()::isMember);
    }

    /** Whether the peer may call a method of this service. */
    boolean allows(Peer peer, String service) {
        if (masters.contains(peer.uid())) {
            return true;
        }
        return !service.equals(ControlGrpc.SERVICE_NAME) && membership.test(peer, GROUP);
    }
}

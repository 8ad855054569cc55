package io.enipam.frontends.cni;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;
import jdk.net.ExtendedSocketOptions;

/**
 * Who may call: the users that the kernel names as the other end (SO_PEERCRED), which nobody can forge. Immutable.
 *
 * @param allowed who is served
 */
record AllowedPeers(Set<UserPrincipal> allowed) {
    AllowedPeers {
        allowed = Set.copyOf(allowed);
    }

    /** Root, and the user that this process runs as. */
    static AllowedPeers rootAndSelf() throws IOException {
        UserPrincipal root =
                FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName("0");
        UserPrincipal self = Files.getOwner(Path.of("/proc/self"));
        return new AllowedPeers(root.equals(self) ? Set.of(root) : Set.of(root, self));
    }

    /** The peer's name if it is not served; empty text if it is. */
    String refused(SocketChannel channel) throws IOException {
        UserPrincipal peer =
                channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
        return allowed.contains(peer) ? "" : peer.getName();
    }
}

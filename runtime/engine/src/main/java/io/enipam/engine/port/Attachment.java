package io.enipam.engine.port;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import java.net.InetAddress;
import java.util.Optional;
import java.util.Set;

/**
 * One pod sandbox that the kernel of this node is connected to.
 *
 * @param owner the sandbox
 * @param pod its pod, if the kernel's side of the connection tells it
 * @param podUid the pod's UID, or empty text where nothing tells it
 * @param addresses what is routed to the sandbox; empty if the connection is half made or half taken down
 */
public record Attachment(OwnerKey owner, Optional<PodRef> pod, String podUid, Set<InetAddress> addresses) {
    public Attachment {
        addresses = Set.copyOf(addresses);
    }
}

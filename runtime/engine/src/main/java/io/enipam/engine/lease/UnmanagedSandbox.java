package io.enipam.engine.lease;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import java.net.InetAddress;
import java.time.Instant;
import java.util.Set;

/**
 * A sandbox that the kernel is connected to and that has no lease of the address it uses.
 *
 * @param pod its pod, which may be a stand-in
 * @param podUid the pod's UID, or empty text
 * @param addresses what it is connected with
 * @param barred those of its addresses that are kept out of the pool, also once somebody else gives them back
 * @param since when it was found
 */
public record UnmanagedSandbox(
        OwnerKey owner, PodRef pod, String podUid, Set<InetAddress> addresses, Set<InetAddress> barred, Instant since) {
    public UnmanagedSandbox {
        addresses = Set.copyOf(addresses);
        barred = Set.copyOf(barred);
    }
}

package io.enipam.engine.startup;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.net.InetAddress;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * All that is known when it is decided who has which address.
 *
 * @param rows the leases of the database, also those of one address
 * @param holds what the database keeps from being lent
 * @param listed what the factory lists, stamped with its name
 * @param ended what DELs have ended since the start began
 */
record ObservedState(
        List<Lease> rows,
        List<Hold> holds,
        List<Attachment> sandboxes,
        PodIndex pods,
        List<Resource> listed,
        List<EndedLease> ended,
        Instant now) {
    /**
     * What a DEL ended while the start was under way. The API server may go on listing it for a while: nothing is kept
     * for the pod because of that.
     */
    record EndedLease(PodRef pod, Set<InetAddress> addresses) {
        EndedLease {
            addresses = Set.copyOf(addresses);
        }
    }
}

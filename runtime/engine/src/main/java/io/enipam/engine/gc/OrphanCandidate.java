package io.enipam.engine.gc;

import io.enipam.engine.lease.UnmanagedSandbox;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import java.net.InetAddress;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the collector judges: a lease, or a sandbox that is connected without one.
 *
 * @param lease empty for a sandbox without one
 */
record OrphanCandidate(
        OwnerKey owner, PodRef pod, String podUid, Set<InetAddress> addresses, Instant since, Optional<Lease> lease) {
    static OrphanCandidate of(Lease lease) {
        return new OrphanCandidate(
                lease.owner(),
                lease.pod(),
                lease.podUid(),
                lease.resource().addresses().stream().map(Address::ip).collect(Collectors.toSet()),
                lease.since(),
                Optional.of(lease));
    }

    static OrphanCandidate of(UnmanagedSandbox stray) {
        return new OrphanCandidate(
                stray.owner(), stray.pod(), stray.podUid(), stray.addresses(), stray.since(), Optional.empty());
    }
}

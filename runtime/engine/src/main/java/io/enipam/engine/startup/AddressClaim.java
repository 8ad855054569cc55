package io.enipam.engine.startup;

import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import java.net.InetAddress;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A claim of one owner on an address.
 *
 * @param pod the sandbox's pod
 * @param row the lease, if the database has it
 * @param attached whether the kernel connects the sandbox with this very address
 * @param runs whether the API server says that the pod runs
 * @param listed whether the factory lists this very resource
 */
record AddressClaim(
        OwnerKey owner, Pod pod, Resource resource, Optional<Lease> row, boolean attached, boolean runs, boolean listed)
        implements LeaseClaim {
    /** Between claims that the API server and the kernel do not decide: what is listed, then the database's, the newest first. */
    static final Comparator<AddressClaim> BEST_FIRST = LeaseClaim.bestFirst(Comparator.comparing(AddressClaim::listed)
            .thenComparing(claim -> claim.row.map(Lease::since).orElse(Instant.MIN)));

    @Override
    public boolean told() {
        return resource.addresses().stream().anyMatch(address -> pod.addresses().contains(address.ip()));
    }

    /** The lease that this claim comes to, if it wins. */
    Lease lease(Instant now) {
        return row.orElseGet(() -> new Lease(owner, pod.ref(), pod.uid(), resource, pod.stick(), now));
    }

    Set<InetAddress> addresses() {
        return resource.addresses().stream().map(Address::ip).collect(Collectors.toSet());
    }

    String address() {
        return AddressFormat.of(resource);
    }

    String who() {
        return "container " + owner.containerId() + " of pod " + pod.ref();
    }
}

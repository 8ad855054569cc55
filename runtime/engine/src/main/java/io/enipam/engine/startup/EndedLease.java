package io.enipam.engine.startup;

import io.enipam.engine.model.Lease;
import io.enipam.engine.model.Pod;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import java.net.InetAddress;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a DEL ended while the start was under way. The API server may go on telling of it for a while: nothing is kept for the
 * pod on that word.
 */
record EndedLease(PodRef pod, Set<InetAddress> addresses) {
    EndedLease {
        addresses = Set.copyOf(addresses);
    }

    static EndedLease of(Lease lease) {
        return new EndedLease(
                lease.pod(),
                lease.resource().addresses().stream().map(Address::ip).collect(Collectors.toSet()));
    }

    boolean is(Pod other, InetAddress address) {
        return pod.equals(other.ref()) && addresses.contains(address);
    }
}

package io.enipam.engine.model;

import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A resource lent to an owner. It exists from the moment its database row is durable to the moment the row's removal is.
 *
 * @param podUid the pod's UID, or empty text
 * @param stick how long the resource is to be kept for the pod after a DEL; zero for not at all
 */
public record Lease(OwnerKey owner, PodRef pod, String podUid, Resource resource, Duration stick, Instant since) {
    public Set<InetAddress> addresses() {
        return resource.addresses().stream().map(Address::ip).collect(Collectors.toSet());
    }
}

package io.enipam.daemon.recover;

import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.net.InetAddress;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The claims that won. An address is one whatever resource it is on: when it moved from one ENI to another there are two ids of
 * it, and still two pods cannot have it.
 */
final class Winners {
    private final Map<ResourceId, Claim> byId = new LinkedHashMap<>();
    private final Map<InetAddress, Claim> byAddress = new HashMap<>();

    void put(Claim claim) {
        Resource resource = claim.lease().resource();
        byId.put(resource.id(), claim);
        resource.addresses().forEach(address -> byAddress.put(address.ip(), claim));
    }

    /** Who has the resource, or one of its addresses. */
    Optional<Claim> at(Resource resource) {
        return Optional.ofNullable(byId.get(resource.id()))
                .or(() -> resource.addresses().stream()
                        .map(Address::ip)
                        .flatMap(ip -> Optional.ofNullable(byAddress.get(ip)).stream())
                        .findFirst());
    }

    boolean has(Resource resource) {
        return at(resource).isPresent();
    }

    Collection<Claim> all() {
        return byId.values();
    }

    Map<ResourceId, Claim> byId() {
        return Collections.unmodifiableMap(byId);
    }
}

package io.enipam.recovery;

import io.enipam.engine.startup.AddressIndex;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The claims that won, each with its place. */
final class Winners {
    private final Map<ResourceId, Claim> byId = new LinkedHashMap<>();
    private final AddressIndex<Claim> places = new AddressIndex<>();

    void put(Claim claim) {
        Resource resource = claim.lease().resource();
        byId.put(resource.id(), claim);
        places.put(resource, claim);
    }

    /** Who has the resource, or one of its addresses. */
    Optional<Claim> at(Resource resource) {
        return places.at(resource);
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

package io.enipam.engine.startup;

import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import java.net.InetAddress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What is where. Two resources of different ids, or of different factories, may have one address, if it moved from one interface
 * to another: then they are one place, since two pods cannot have it. Not thread-safe.
 *
 * @param <T> what is there: a claim, a lease
 */
public final class AddressIndex<T> {
    private final Map<Object, T> there = new HashMap<>();

    /** What is at the resource's key, or at one of its addresses. */
    public Optional<T> at(Resource resource) {
        T found = there.get(ResourceKey.of(resource));
        for (Address address : resource.addresses()) {
            found = found == null ? there.get(address.ip()) : found;
        }
        return Optional.ofNullable(found);
    }

    public Optional<T> at(InetAddress address) {
        return Optional.ofNullable(there.get(address));
    }

    /** What is at the first of a sandbox's addresses, in the order of their texts, at which anything is. */
    public Optional<T> at(Attachment sandbox) {
        return sandbox.addresses().stream()
                .sorted(Comparator.comparing(AddressFormat::text))
                .flatMap(address -> at(address).stream())
                .findFirst();
    }

    /** Puts it at the resource's key and at each of its addresses, in the place of whatever was there. */
    public void put(Resource resource, T what) {
        there.put(ResourceKey.of(resource), what);
        resource.addresses().forEach(address -> there.put(address.ip(), what));
    }

    /** @return false if something is there: then it stays */
    boolean take(Resource resource, T what) {
        boolean free = at(resource).isEmpty();
        if (free) {
            put(resource, what);
        }
        return free;
    }

    /** Whether two resources are one place. */
    public static boolean same(Resource one, Resource other) {
        return keys(one).anyMatch(key -> keys(other).anyMatch(key::equals));
    }

    private static Stream<Object> keys(Resource resource) {
        return Stream.concat(
                Stream.of(ResourceKey.of(resource)),
                resource.addresses().stream().map(Address::ip));
    }
}

package io.enipam.diagnostics.sources;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One statement of a source.
 *
 * @param topic what sort of thing it is about
 * @param id the source's name of the thing: a resource's id, an owner, a token; may be empty
 * @param addresses those it is about, without prefix lengths
 * @param eni the ENI it is about, or empty text
 * @param owner the sandbox it is about
 * @param pod the pod it is about
 * @param state the source's word for the state: IN_USE, COOLING, InUse; may be empty
 * @param since since when, if the source tells
 * @param words all of it, for a person: part of a sentence that begins in lower case
 */
public record Saying(
        Topic topic,
        String id,
        Set<String> addresses,
        String eni,
        Optional<OwnerKey> owner,
        Optional<PodRef> pod,
        String state,
        Optional<Instant> since,
        String words) {
    public Saying {
        addresses = Set.copyOf(addresses);
    }

    /** What a statement is about. */
    public enum Topic {
        /** That an owner has a resource. */
        LEASE,
        /** That a resource is kept from others for a while. */
        HOLD,
        /** A resource of the pool. */
        RESOURCE,
        /** Somebody who waits for a resource. */
        WAITER,
        /** Something that was begun and is not known to be over. */
        OPERATION,
        /** An ENI. */
        ENI,
        /** A range that addresses come from. */
        VSWITCH,
        /** A sandbox that is connected. */
        SANDBOX,
        /** A pod. */
        POD
    }

    /** The addresses of a resource, without prefix lengths. */
    static Set<String> hosts(Resource resource) {
        return resource.addresses().stream().map(Address::host).collect(Collectors.toSet());
    }

    /** The ENI that a resource hangs on, or is; empty text if it is no such thing. */
    public static String eniOf(Resource resource) {
        return resource.parent().isEmpty()
                ? (resource.kind().name().equals("eni") ? resource.id().value() : "")
                : resource.parent();
    }

    static String host(String address) {
        int slash = address.indexOf('/');
        return slash < 0 ? address : address.substring(0, slash);
    }

    static Set<String> hosts(List<String> addresses) {
        return addresses.stream().map(Saying::host).collect(Collectors.toSet());
    }

    /** Whether it is about an address. */
    public boolean about(String address) {
        return addresses.contains(address);
    }
}

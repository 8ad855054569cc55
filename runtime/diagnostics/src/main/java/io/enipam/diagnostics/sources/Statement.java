package io.enipam.diagnostics.sources;

import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.net.InetAddress;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One statement of a source.
 *
 * @param addresses the addresses that it is about, without prefix lengths
 * @param eni the ENI that it is about, or empty text
 * @param state the source's name of the state: IN_USE, COOLING, InUse; may be empty
 * @param words all of it, for operators: part of a sentence that begins in lower case
 */
public record Statement(
        Topic topic,
        Set<String> addresses,
        String eni,
        Optional<OwnerKey> owner,
        Optional<PodRef> pod,
        String state,
        Optional<Instant> since,
        String words) {
    public enum Topic {
        LEASE,
        /** A cool-down or a reservation. */
        HOLD,
        RESOURCE,
        WAITER,
        /** An operation that has begun and is not known to be over. */
        OPERATION,
        ENI,
        VSWITCH,
        SANDBOX,
        POD
    }

    /** A statement that names no sandbox, no pod and no time. */
    static Statement of(Topic topic, Set<String> addresses, String eni, String state, String words) {
        return new Statement(topic, addresses, eni, Optional.empty(), Optional.empty(), state, Optional.empty(), words);
    }

    /** The same about a resource, its addresses and its ENI. */
    static Statement of(Topic topic, Resource resource, String state, String words) {
        return of(topic, hosts(resource), eniOf(resource), state, words);
    }

    Statement owned(Optional<OwnerKey> by, Optional<PodRef> itsPod) {
        return new Statement(topic, addresses, eni, by, itsPod, state, since, words);
    }

    Statement since(Optional<Instant> time) {
        return new Statement(topic, addresses, eni, owner, pod, state, time, words);
    }

    Statement from(Instant time) {
        return since(Optional.of(time));
    }

    public static Set<String> texts(Collection<InetAddress> addresses) {
        return addresses.stream().map(AddressFormat::text).collect(Collectors.toSet());
    }

    /** The addresses of a resource, without prefix lengths. */
    public static Set<String> hosts(Resource resource) {
        return resource.addresses().stream().map(Address::host).collect(Collectors.toSet());
    }

    public static Set<String> hosts(Collection<String> addresses) {
        return addresses.stream().map(Statement::host).collect(Collectors.toSet());
    }

    public static String host(String address) {
        int slash = address.indexOf('/');
        return slash < 0 ? address : address.substring(0, slash);
    }

    /** The ENI that a resource is on, or is; empty text if it is neither. */
    public static String eniOf(Resource resource) {
        return resource.parent().isEmpty()
                ? (resource.kind().name().equals("eni") ? resource.id().value() : "")
                : resource.parent();
    }

    public boolean about(String address) {
        return addresses.contains(address);
    }
}

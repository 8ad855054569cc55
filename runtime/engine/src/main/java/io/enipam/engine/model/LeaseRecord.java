package io.enipam.engine.model;

import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A lease as it is remembered: who had which address, from when until when, and why it ended.
 *
 * @param podUid the pod's UID, or empty text
 * @param addresses without prefix length, as they were given; 1 or more
 * @param resource the resource's id
 * @param eni what the resource hung on, or empty text
 * @param end empty of a lease that stands
 */
public record LeaseRecord(
        OwnerKey owner,
        PodRef pod,
        String podUid,
        List<String> addresses,
        String resource,
        String eni,
        Instant since,
        Optional<LeaseEnd> end) {
    /** A container id that is cut, as runtimes print it, has at least so many characters. */
    public static final int SHORT_ID = 12;

    public LeaseRecord {
        addresses = List.copyOf(addresses);
    }

    public static LeaseRecord of(Lease lease, Optional<LeaseEnd> end) {
        return new LeaseRecord(
                lease.owner(),
                lease.pod(),
                lease.podUid(),
                lease.resource().addresses().stream().map(Address::host).toList(),
                lease.resource().id().value(),
                lease.resource().parent(),
                lease.since(),
                end);
    }

    /** A container id as runtimes print it. */
    public static String shortId(String id) {
        return id.substring(0, Math.min(id.length(), SHORT_ID));
    }

    /** An address as records have it, for one as it is typed: other forms of IPv6, and a prefix length; empty if it is none. */
    public static Optional<String> addressOf(String typed) {
        try {
            return Optional.of(Address.parse(typed).host());
        } catch (IllegalArgumentException noAddress) {
            return Optional.empty();
        }
    }

    /** Whether it stood at some moment of the span, both ends of which are part of it. */
    public boolean overlaps(Instant from, Instant to) {
        return !since.isAfter(to)
                && end.filter(past -> past.at().isBefore(from)).isEmpty();
    }

    /**
     * Whether it is of this address, pod (by name, with or without namespace, or UID), ENI, resource or container (the id, or the
     * first 12 characters of it or more).
     */
    public boolean concerns(String subject) {
        String container = owner.containerId();
        return addresses.contains(subject)
                || pod.toString().equals(subject)
                || pod.name().equals(subject)
                || podUid.equals(subject)
                || eni.equals(subject)
                || resource.equals(subject)
                || container.equals(subject)
                || subject.length() >= SHORT_ID && container.startsWith(subject);
    }
}

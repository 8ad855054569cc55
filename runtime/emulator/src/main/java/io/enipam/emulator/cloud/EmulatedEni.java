package io.enipam.emulator.cloud;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.stream.Stream;

/**
 * An elastic network interface. In the state file the fields of its parts stand beside its own.
 *
 * @param sequence grows with every ENI made; the order of listings
 * @param mac lower case, colons
 * @param attributes what a client may change of it
 * @param attachment what it is doing, and where
 */
public record EmulatedEni(
        String id,
        long sequence,
        String mac,
        EniKind kind,
        Instant created,
        @JsonUnwrapped Addresses ips,
        @JsonUnwrapped Attributes attributes,
        @JsonUnwrapped Attachment attachment) {
    public enum EniKind {
        /** Made with the instance; stays with it. */
        PRIMARY("Primary"),
        /** Made by a client; comes and goes. */
        SECONDARY("Secondary"),
        /** Made by a client; may carry member ENIs on instance types that support it. */
        TRUNK("Trunk");

        private final String wireName;

        EniKind(String wireName) {
            this.wireName = wireName;
        }

        public String wireName() {
            return wireName;
        }
    }

    /**
     * The addresses of an ENI.
     *
     * @param primaryIp the address that the ENI has for life
     * @param secondaryIps the others, in the order of assignment
     * @param ipv4Prefixes blocks of /28 that it has beside the addresses
     */
    public record Addresses(
            String vswitchId,
            String primaryIp,
            List<String> secondaryIps,
            List<String> ipv4Prefixes,
            List<String> ipv6s) {
        public Addresses {
            secondaryIps = List.copyOf(secondaryIps);
            ipv4Prefixes = List.copyOf(ipv4Prefixes);
            ipv6s = List.copyOf(ipv6s);
        }

        /** All single IPv4 addresses, the primary one first. */
        private Stream<String> single() {
            return Stream.concat(Stream.of(primaryIp), secondaryIps.stream());
        }
    }

    /** What a client may change of an ENI. It is in one security group at least; name and description may be empty. */
    public record Attributes(
            List<String> securityGroups,
            Map<String, String> tags,
            String name,
            String description,
            boolean deleteOnRelease) {
        public Attributes {
            securityGroups = List.copyOf(securityGroups);
            tags = Collections.unmodifiableMap(new LinkedHashMap<>(tags));
        }
    }

    /**
     * What an ENI is doing, and where.
     *
     * @param statusEnds when a passing status ends; empty for a lasting one, and for one that sticks
     * @param instanceId where it is attached, is being attached or is being detached from
     * @param trunkId the trunk ENI it is a member of, as long as it is attached through one
     * @param deviceIndex its number on the instance, 0 for the primary one; of a member its VLAN on the trunk, from 1
     */
    public record Attachment(
            EniStatus status,
            Optional<Instant> statusEnds,
            Optional<String> instanceId,
            Optional<String> trunkId,
            int deviceIndex) {
        /** Available, attached to no instance. */
        public static final Attachment NONE =
                new Attachment(EniStatus.AVAILABLE, Optional.empty(), Optional.empty(), Optional.empty(), 0);
    }

    /** A new ENI, whose id and MAC address follow from the seed and its number. */
    public static EmulatedEni made(
            long seed,
            long number,
            EniKind kind,
            Instant now,
            Addresses addresses,
            Attributes attributes,
            Attachment attachment) {
        String id = IdGenerator.resource(seed, "eni", number);
        return new EmulatedEni(id, number, IdGenerator.mac(seed, number), kind, now, addresses, attributes, attachment);
    }

    /** All its IPv4 addresses, the primary one first; those of prefixes are not among them. */
    public List<String> addresses() {
        return ips.single().toList();
    }

    /** All IPv4 addresses that no other ENI can have: its own and those of its prefixes. */
    public List<String> addressesTaken() {
        return Stream.concat(ips.single(), ips.ipv4Prefixes.stream().flatMap(prefix -> VSwitch.expand(prefix).stream()))
                .toList();
    }

    int addressesTakenCount() {
        return 1 + ips.secondaryIps.size() + VSwitch.PREFIX_ADDRESSES * ips.ipv4Prefixes.size();
    }

    /** How much of the limit of an instance type it uses: an address counts one, and so does a prefix. */
    public int ipv4Count() {
        return 1 + ips.secondaryIps.size() + ips.ipv4Prefixes.size();
    }

    /** What the API calls it now: a secondary ENI is a member while it is attached through a trunk. */
    public String typeName() {
        return attachment.trunkId.isPresent() ? "Member" : kind.wireName();
    }

    /** Whether it is attached to the instance, or on its way to or from it. */
    public boolean isOn(String instance) {
        return attachment.instanceId.filter(instance::equals).isPresent();
    }

    public boolean isMemberOf(String trunk) {
        return attachment.trunkId.filter(trunk::equals).isPresent();
    }

    /** The same ENI, busy with an attach until {@code ends}, as a member of a trunk if that is given. */
    public EmulatedEni attaching(String instance, Optional<String> trunk, int index, Instant ends) {
        return with(new Attachment(EniStatus.ATTACHING, Optional.of(ends), Optional.of(instance), trunk, index));
    }

    /** The same ENI in another status, busy with it until {@code ends} if that is given. */
    public EmulatedEni becoming(EniStatus next, Optional<Instant> ends) {
        boolean free = next == EniStatus.AVAILABLE;
        return with(new Attachment(
                next,
                ends,
                free ? Optional.empty() : attachment.instanceId,
                free ? Optional.empty() : attachment.trunkId,
                free ? 0 : attachment.deviceIndex));
    }

    public EmulatedEni assigned(List<String> secondaries, List<String> prefixes, List<String> ipv6s) {
        BinaryOperator<List<String>> plus =
                (some, more) -> Stream.concat(some.stream(), more.stream()).toList();
        return with(plus, secondaries, prefixes, ipv6s);
    }

    public EmulatedEni unassigned(List<String> secondaries, List<String> prefixes, List<String> ipv6s) {
        BinaryOperator<List<String>> minus =
                (some, gone) -> some.stream().filter(one -> !gone.contains(one)).toList();
        return with(minus, secondaries, prefixes, ipv6s);
    }

    public EmulatedEni tagged(Map<String, String> tags) {
        return with(new Attributes(
                attributes.securityGroups, tags, attributes.name, attributes.description, attributes.deleteOnRelease));
    }

    public EmulatedEni with(Attributes changed) {
        return new EmulatedEni(id, sequence, mac, kind, created, ips, changed, attachment);
    }

    /** The same ENI, kept in its passing status until it is {@link #resumed}. */
    public EmulatedEni stuck() {
        return lasting(Optional.empty());
    }

    /** Whether its passing status does not pass by itself. */
    public boolean sticks() {
        return !attachment.status.isSteady() && attachment.statusEnds.isEmpty();
    }

    public EmulatedEni resumed(Instant ends) {
        return lasting(Optional.of(ends));
    }

    private EmulatedEni lasting(Optional<Instant> ends) {
        return with(new Attachment(
                attachment.status, ends, attachment.instanceId, attachment.trunkId, attachment.deviceIndex));
    }

    /** The ENI at a later moment: itself, in the next status, or empty when its deletion is over. */
    Optional<EmulatedEni> at(Instant now) {
        if (!isOver(now)) {
            return Optional.of(this);
        }
        return attachment
                .status
                .ending()
                .flatMap(attachment.status::after)
                .map(next -> becoming(next, Optional.empty()));
    }

    boolean isOver(Instant now) {
        return attachment.statusEnds.filter(end -> !end.isAfter(now)).isPresent();
    }

    private EmulatedEni with(
            BinaryOperator<List<String>> change, List<String> secondaries, List<String> prefixes, List<String> ipv6s) {
        Addresses changed = new Addresses(
                ips.vswitchId,
                ips.primaryIp,
                change.apply(ips.secondaryIps, secondaries),
                change.apply(ips.ipv4Prefixes, prefixes),
                change.apply(ips.ipv6s, ipv6s));
        return new EmulatedEni(id, sequence, mac, kind, created, changed, attributes, attachment);
    }

    private EmulatedEni with(Attachment changed) {
        return new EmulatedEni(id, sequence, mac, kind, created, ips, attributes, changed);
    }
}

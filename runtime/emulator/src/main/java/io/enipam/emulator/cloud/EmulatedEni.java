package io.enipam.emulator.cloud;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An elastic network interface.
 *
 * @param id {@code eni-...}
 * @param sequence grows with every ENI made; the order of listings
 * @param mac lower case, colons
 * @param kind Primary, Secondary or Trunk
 * @param vswitchId where its addresses come from
 * @param primaryIp the address it has for life
 * @param secondaryIps the others, in the order of assignment
 * @param ipv4Prefixes blocks of /28 it has beside the addresses
 * @param ipv6s its IPv6 addresses, in the order of assignment
 * @param securityGroups at least one
 * @param tags in the order given
 * @param name may be empty
 * @param description may be empty
 * @param deleteOnRelease as the client said at creation
 * @param created when
 * @param status what it is doing
 * @param statusEnds when a passing status ends; empty for a lasting one
 * @param instanceId where it is attached, is being attached or is being detached from
 * @param trunkId the trunk ENI it is a member of, as long as it is attached through one
 */
public record EmulatedEni(
        String id,
        long sequence,
        String mac,
        EniKind kind,
        String vswitchId,
        String primaryIp,
        List<String> secondaryIps,
        List<String> ipv4Prefixes,
        List<String> ipv6s,
        List<String> securityGroups,
        Map<String, String> tags,
        String name,
        String description,
        boolean deleteOnRelease,
        Instant created,
        EniStatus status,
        Optional<Instant> statusEnds,
        Optional<String> instanceId,
        Optional<String> trunkId) {
    public EmulatedEni {
        secondaryIps = List.copyOf(secondaryIps);
        ipv4Prefixes = List.copyOf(ipv4Prefixes);
        ipv6s = List.copyOf(ipv6s);
        securityGroups = List.copyOf(securityGroups);
        tags = Collections.unmodifiableMap(new LinkedHashMap<>(tags));
    }

    /** All its IPv4 addresses, the primary one first; those of prefixes are not among them. */
    public List<String> addresses() {
        return Stream.concat(Stream.of(primaryIp), secondaryIps.stream()).toList();
    }

    /** All IPv4 addresses nobody else can have: its own and those of its prefixes. */
    public List<String> addressesTaken() {
        return Stream.concat(
                        addresses().stream(), ipv4Prefixes.stream().flatMap(prefix -> VSwitch.expand(prefix).stream()))
                .toList();
    }

    /** How many {@link #addressesTaken} are. */
    int addressesTakenCount() {
        return 1 + secondaryIps.size() + VSwitch.PREFIX_ADDRESSES * ipv4Prefixes.size();
    }

    /** How much of what an instance type allows it uses: an address counts one, and so does a prefix. */
    public int ipv4Count() {
        return 1 + secondaryIps.size() + ipv4Prefixes.size();
    }

    /** What the API calls it now: a secondary ENI is a member while it hangs on a trunk. */
    public String typeName() {
        return trunkId.isPresent() ? "Member" : kind.wireName();
    }

    /** Whether it is attached to the instance, or on its way to or from it. */
    public boolean isOn(String instance) {
        return instanceId.filter(instance::equals).isPresent();
    }

    /** The same ENI, busy with an attach until {@code ends}, as a member of a trunk if that is given. */
    public EmulatedEni attaching(String instance, Optional<String> trunk, Instant ends) {
        return with(EniStatus.ATTACHING, Optional.of(ends), Optional.of(instance), trunk);
    }

    /** The same ENI in another status, busy with it until {@code ends} if that is given. */
    public EmulatedEni becoming(EniStatus next, Optional<Instant> ends) {
        boolean free = next == EniStatus.AVAILABLE;
        return with(next, ends, free ? Optional.empty() : instanceId, free ? Optional.empty() : trunkId);
    }

    /** The same ENI with more addresses. */
    public EmulatedEni assigned(List<String> more) {
        return with(plus(secondaryIps, more), ipv4Prefixes, ipv6s);
    }

    /** The same ENI without those addresses. */
    public EmulatedEni unassigned(List<String> gone) {
        return with(minus(secondaryIps, gone), ipv4Prefixes, ipv6s);
    }

    /** The same ENI with more prefixes. */
    public EmulatedEni assignedPrefixes(List<String> more) {
        return with(secondaryIps, plus(ipv4Prefixes, more), ipv6s);
    }

    /** The same ENI without those prefixes. */
    public EmulatedEni unassignedPrefixes(List<String> gone) {
        return with(secondaryIps, minus(ipv4Prefixes, gone), ipv6s);
    }

    /** The same ENI with more IPv6 addresses. */
    public EmulatedEni assignedIpv6(List<String> more) {
        return with(secondaryIps, ipv4Prefixes, plus(ipv6s, more));
    }

    /** The same ENI without those IPv6 addresses. */
    public EmulatedEni unassignedIpv6(List<String> gone) {
        return with(secondaryIps, ipv4Prefixes, minus(ipv6s, gone));
    }

    /** The same ENI with other tags. */
    public EmulatedEni tagged(Map<String, String> newTags) {
        return described(securityGroups, newTags, name, description, deleteOnRelease);
    }

    /** The same ENI with what a client may change of it. */
    public EmulatedEni modified(List<String> groups, String newName, String newDescription, boolean newDeleteOnRelease) {
        return described(groups, tags, newName, newDescription, newDeleteOnRelease);
    }

    /** The same ENI, kept in its passing status until it is {@link #resumed}. */
    public EmulatedEni stuck() {
        return with(status, Optional.empty(), instanceId, trunkId);
    }

    /** Whether its passing status does not pass by itself. */
    public boolean sticks() {
        return !status.isSteady() && statusEnds.isEmpty();
    }

    /** The same ENI, whose passing status ends then. */
    public EmulatedEni resumed(Instant ends) {
        return with(status, Optional.of(ends), instanceId, trunkId);
    }

    /** The ENI at a later moment: itself, in the next status, or empty when its deletion is over. */
    Optional<EmulatedEni> at(Instant now) {
        if (!isOver(now)) {
            return Optional.of(this);
        }
        return status.ending().flatMap(status::after).map(next -> becoming(next, Optional.empty()));
    }

    /** Whether its passing status has had its time. */
    boolean isOver(Instant now) {
        return statusEnds.filter(end -> !end.isAfter(now)).isPresent();
    }

    private static List<String> plus(List<String> some, List<String> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    private static List<String> minus(List<String> some, List<String> gone) {
        List<String> left = new ArrayList<>(some);
        left.removeAll(gone);
        return left;
    }

    private EmulatedEni with(List<String> secondary, List<String> prefixes, List<String> sixes) {
        return new EmulatedEni(
                id,
                sequence,
                mac,
                kind,
                vswitchId,
                primaryIp,
                secondary,
                prefixes,
                sixes,
                securityGroups,
                tags,
                name,
                description,
                deleteOnRelease,
                created,
                status,
                statusEnds,
                instanceId,
                trunkId);
    }

    private EmulatedEni with(EniStatus newStatus, Optional<Instant> ends, Optional<String> instance, Optional<String> trunk) {
        return new EmulatedEni(
                id,
                sequence,
                mac,
                kind,
                vswitchId,
                primaryIp,
                secondaryIps,
                ipv4Prefixes,
                ipv6s,
                securityGroups,
                tags,
                name,
                description,
                deleteOnRelease,
                created,
                newStatus,
                ends,
                instance,
                trunk);
    }

    private EmulatedEni described(
            List<String> groups, Map<String, String> newTags, String newName, String text, boolean release) {
        return new EmulatedEni(
                id,
                sequence,
                mac,
                kind,
                vswitchId,
                primaryIp,
                secondaryIps,
                ipv4Prefixes,
                ipv6s,
                groups,
                newTags,
                newName,
                text,
                release,
                created,
                status,
                statusEnds,
                instanceId,
                trunkId);
    }
}

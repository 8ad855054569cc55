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
 * @param securityGroups at least one
 * @param tags in the order given
 * @param name may be empty
 * @param description may be empty
 * @param deleteOnRelease as the client said at creation
 * @param created when
 * @param status what it is doing
 * @param statusEnds when a passing status ends; empty for a lasting one
 * @param instanceId where it is attached, is being attached or is being detached from
 */
public record Eni(
        String id,
        long sequence,
        String mac,
        EniKind kind,
        String vswitchId,
        String primaryIp,
        List<String> secondaryIps,
        List<String> securityGroups,
        Map<String, String> tags,
        String name,
        String description,
        boolean deleteOnRelease,
        Instant created,
        EniStatus status,
        Optional<Instant> statusEnds,
        Optional<String> instanceId) {
    public Eni {
        secondaryIps = List.copyOf(secondaryIps);
        securityGroups = List.copyOf(securityGroups);
        tags = Collections.unmodifiableMap(new LinkedHashMap<>(tags));
    }

    /** All its addresses, the primary one first. */
    public List<String> addresses() {
        return Stream.concat(Stream.of(primaryIp), secondaryIps.stream()).toList();
    }

    /** Whether it is attached to the instance, or on its way to or from it. */
    public boolean isOn(String instance) {
        return instanceId.filter(instance::equals).isPresent();
    }

    /** The same ENI, busy with an attach until {@code ends}. */
    public Eni attaching(String instance, Instant ends) {
        return with(EniStatus.ATTACHING, Optional.of(ends), Optional.of(instance), secondaryIps);
    }

    /** The same ENI in another status, busy with it until {@code ends} if that is given. */
    public Eni becoming(EniStatus next, Optional<Instant> ends) {
        return with(next, ends, next == EniStatus.AVAILABLE ? Optional.empty() : instanceId, secondaryIps);
    }

    /** The same ENI with more addresses. */
    public Eni assigned(List<String> more) {
        List<String> all = new ArrayList<>(secondaryIps);
        all.addAll(more);
        return with(status, statusEnds, instanceId, all);
    }

    /** The same ENI without those addresses. */
    public Eni unassigned(List<String> gone) {
        List<String> left = new ArrayList<>(secondaryIps);
        left.removeAll(gone);
        return with(status, statusEnds, instanceId, left);
    }

    /** The same ENI, kept in its passing status until it is {@link #resumed}. */
    public Eni stuck() {
        return with(status, Optional.empty(), instanceId, secondaryIps);
    }

    /** Whether its passing status does not pass by itself. */
    public boolean sticks() {
        return !status.isSteady() && statusEnds.isEmpty();
    }

    /** The same ENI, whose passing status ends then. */
    public Eni resumed(Instant ends) {
        return with(status, Optional.of(ends), instanceId, secondaryIps);
    }

    /** The ENI at a later moment: itself, in the next status, or empty when its deletion is over. */
    Optional<Eni> at(Instant now) {
        if (!isOver(now)) {
            return Optional.of(this);
        }
        return status.ending().flatMap(status::after).map(next -> becoming(next, Optional.empty()));
    }

    /** Whether its passing status has had its time. */
    boolean isOver(Instant now) {
        return statusEnds.filter(end -> !end.isAfter(now)).isPresent();
    }

    private Eni with(EniStatus newStatus, Optional<Instant> ends, Optional<String> instance, List<String> ips) {
        return new Eni(
                id,
                sequence,
                mac,
                kind,
                vswitchId,
                primaryIp,
                ips,
                securityGroups,
                tags,
                name,
                description,
                deleteOnRelease,
                created,
                newStatus,
                ends,
                instance);
    }
}

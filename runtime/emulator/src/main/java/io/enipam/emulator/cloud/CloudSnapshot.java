package io.enipam.emulator.cloud;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.enipam.emulator.cloud.EmulatedEni.EniKind;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the cloud has at one moment, for tests and audits that compare it with what a client believes.
 *
 * @param enis all ENIs, in the order of creation
 * @param calls how often each action was called with a good signature since the start, refusals included; actions never
 *     called are absent
 */
public record CloudSnapshot(List<EniEntry> enis, Map<String, Long> calls) {
    /**
     * One ENI. As JSON the fields of its addresses stand beside the others.
     *
     * @param status as the API spells it: Available, Attaching, InUse, Detaching, Deleting
     * @param instanceId where it is attached, is being attached or is being detached from
     */
    public record EniEntry(
            String id,
            boolean primary,
            String status,
            Optional<String> instanceId,
            @JsonUnwrapped EniAddresses addresses,
            List<String> securityGroups,
            Map<String, String> tags) {}

    /**
     * The addresses of an ENI.
     *
     * @param vswitchId where they come from
     * @param privateIps all its IPv4 addresses, the primary one first
     * @param ipv4Prefixes blocks of /28 that it has beside the addresses
     */
    public record EniAddresses(
            String vswitchId,
            String primaryIp,
            List<String> privateIps,
            List<String> ipv4Prefixes,
            List<String> ipv6s) {}

    public Optional<EniEntry> eni(String id) {
        return enis.stream().filter(eni -> eni.id().equals(id)).findFirst();
    }

    /** How often an action was called; 0 if never. */
    public long callsOf(String action) {
        return calls.getOrDefault(action, 0L);
    }

    public static CloudSnapshot of(CloudState state, Map<String, Long> calls) {
        return new CloudSnapshot(
                state.enis().values().stream().map(CloudSnapshot::entry).toList(), calls);
    }

    private static EniEntry entry(EmulatedEni eni) {
        return new EniEntry(
                eni.id(),
                eni.kind() == EniKind.PRIMARY,
                eni.attachment().status().wireName(),
                eni.attachment().instanceId(),
                new EniAddresses(
                        eni.ips().vswitchId(),
                        eni.ips().primaryIp(),
                        eni.addresses(),
                        eni.ips().ipv4Prefixes(),
                        eni.ips().ipv6s()),
                eni.attributes().securityGroups(),
                eni.attributes().tags());
    }
}

package io.enipam.emulator;

import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EniKind;
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
     * One ENI.
     *
     * @param id {@code eni-...}
     * @param primary whether it is its instance's primary ENI
     * @param status as the API spells it: Available, Attaching, InUse, Detaching, Deleting
     * @param instanceId where it is attached, is being attached or is being detached from
     * @param vswitchId where its addresses come from
     * @param primaryIp its primary address
     * @param privateIps all its IPv4 addresses, the primary one first
     * @param ipv4Prefixes blocks of /28 it has beside the addresses
     * @param ipv6s all its IPv6 addresses
     * @param securityGroups the groups it is in
     * @param tags key to value
     */
    public record EniEntry(
            String id,
            boolean primary,
            String status,
            Optional<String> instanceId,
            String vswitchId,
            String primaryIp,
            List<String> privateIps,
            List<String> ipv4Prefixes,
            List<String> ipv6s,
            List<String> securityGroups,
            Map<String, String> tags) {}

    public CloudSnapshot {
        enis = List.copyOf(enis);
        calls = Map.copyOf(calls);
    }

    /** The ENI of that id. */
    public Optional<EniEntry> eni(String id) {
        return enis.stream().filter(eni -> eni.id().equals(id)).findFirst();
    }

    /** How often an action was called; 0 if never. */
    public long callsOf(String action) {
        return calls.getOrDefault(action, 0L);
    }

    static CloudSnapshot of(CloudState state, Map<String, Long> calls) {
        List<EniEntry> enis = state.enis().values().stream()
                .map(eni -> new EniEntry(
                        eni.id(),
                        eni.kind() == EniKind.PRIMARY,
                        eni.status().wireName(),
                        eni.instanceId(),
                        eni.vswitchId(),
                        eni.primaryIp(),
                        eni.addresses(),
                        eni.ipv4Prefixes(),
                        eni.ipv6s(),
                        eni.securityGroups(),
                        eni.tags()))
                .toList();
        return new CloudSnapshot(enis, calls);
    }
}

package io.enipam.aliyun.eni;

import io.enipam.sdk.Family;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the factory makes, and how much of it.
 *
 * @param instanceId what ENIs are attached to
 * @param securityGroups 1 to 10, put on each ENI
 * @param tags put on each ENI, and what its own ENIs are known by; the creator and node tags are among them
 * @param ownTags the creator and node tags
 * @param maxEnis secondary ENIs at one time, at least 0
 * @param ipv4PerEni IPv4 addresses on each, the primary one included, at least 1
 * @param minEnis ENIs kept attached though nobody needs them, 0 to {@code maxEnis}
 * @param vswitchPolicy which vSwitch the next ENI is made in
 * @param seed where the random choices start
 * @param use what its ENIs are for
 * @param ipv6PerEni IPv6 addresses on each, at least 1, if each resource has one of both families; 0 for IPv4 alone
 */
public record FactorySettings(
        String instanceId,
        List<String> securityGroups,
        Map<String, String> tags,
        Map<String, String> ownTags,
        int maxEnis,
        int ipv4PerEni,
        int minEnis,
        VSwitchPolicy vswitchPolicy,
        long seed,
        EniUse use,
        int ipv6PerEni) {
    public FactorySettings {
        securityGroups = List.copyOf(securityGroups);
        tags = Map.copyOf(tags);
        ownTags = Map.copyOf(ownTags);
        if (maxEnis < 0 || ipv4PerEni < 1 || ipv6PerEni < 0 || minEnis < 0 || minEnis > maxEnis) {
            throw new IllegalArgumentException("needs ipv4PerEni >= 1 and 0 <= minEnis <= maxEnis, got " + ipv4PerEni
                    + ", " + minEnis + ", " + maxEnis);
        }
    }

    /** For addresses; no ENI is kept that nobody needs, and the vSwitches come in their order. */
    public FactorySettings(
            String instanceId,
            List<String> securityGroups,
            Map<String, String> tags,
            Map<String, String> ownTags,
            int maxEnis,
            int ipv4PerEni) {
        this(
                instanceId,
                securityGroups,
                tags,
                ownTags,
                maxEnis,
                ipv4PerEni,
                0,
                VSwitchPolicy.ORDERED,
                0,
                EniUse.ADDRESSES,
                0);
    }

    /** The same with an address of both families in each resource. */
    public FactorySettings dual(int ipv6s) {
        return new FactorySettings(
                instanceId,
                securityGroups,
                tags,
                ownTags,
                maxEnis,
                ipv4PerEni,
                minEnis,
                vswitchPolicy,
                seed,
                use,
                ipv6s);
    }

    /** Whether each resource has an address of both families. */
    public boolean dual() {
        return ipv6PerEni > 0;
    }

    /** How many resources an ENI can bear: what the scarcer family allows. */
    public int perEni() {
        return dual() ? Math.min(ipv4PerEni, ipv6PerEni) : ipv4PerEni;
    }

    /** The families of each resource. */
    public Set<Family> families() {
        return dual() ? Set.of(Family.IPV4, Family.IPV6) : Set.of(Family.IPV4);
    }

    /** The same, with vSwitches chosen in another way. */
    public FactorySettings withVSwitchPolicy(VSwitchPolicy policy, long seed) {
        return new FactorySettings(
                instanceId, securityGroups, tags, ownTags, maxEnis, ipv4PerEni, minEnis, policy, seed, use, ipv6PerEni);
    }

    /** The same, with so many ENIs kept attached. */
    public FactorySettings withMinEnis(int enis) {
        return new FactorySettings(
                instanceId,
                securityGroups,
                tags,
                ownTags,
                maxEnis,
                ipv4PerEni,
                enis,
                vswitchPolicy,
                seed,
                use,
                ipv6PerEni);
    }

    /** The same for ENIs that are lent as a whole: one address of each, and a creator tag of their own. */
    public FactorySettings forWholeEnis() {
        return new FactorySettings(
                instanceId,
                securityGroups,
                EniTags.by(EniUse.WHOLE, tags),
                EniTags.by(EniUse.WHOLE, ownTags),
                maxEnis,
                1,
                minEnis,
                vswitchPolicy,
                seed,
                EniUse.WHOLE,
                dual() ? 1 : 0);
    }
}
